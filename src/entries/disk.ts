export {
  type BuiltOnDisk,
  buildOnDisk,
  type DiskOptions,
  type DiskProgress,
  type DiskTarget,
  type KeySink,
} from '../node/disk/build-on-disk.ts';
