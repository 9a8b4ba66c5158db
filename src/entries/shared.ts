export {
  type AnySharedFilter,
  SharedBlockedBloomFilter,
  SharedBloomFilter,
  type SharedFilterClass,
  sharedClassOf,
} from '../threads/shared-classes.ts';
export type { AttachmentOptions, SharedFilter, SharedHandle } from '../threads/shared-filter.ts';
