export {
  buildOnDisk,
  type DiskMapOptions,
  type DiskOptions,
  type DiskTarget,
  type EntrySink,
  type KeySink,
} from '../node/disk/build-on-disk.ts';
export type { BuiltOnDisk, MapBuiltOnDisk } from '../node/disk/content.ts';
export type { DiskProgress } from '../node/disk/disk-build.ts';
