// The main entry, on WebAssembly; tools/entries.ts lists all others. From this text, tools/kind-entries.ts also writes
// `bloomery/js`, on the engine in plain JavaScript.

import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from './entries/main.ts';

// The classes are imported first, because the engine's code compresses better there: see kernel/engine-wasm.ts.

import { loadBytes } from './filters/load.ts';

export { type ByteSource, fileStream } from './byte-source.ts';
export {
  FilterFullError,
  type FilterFullErrorCode,
  FilterMemoryError,
  SavedFilterError,
  type SavedFilterErrorCode,
} from './checks/errors.ts';
export { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from './entries/main.ts';
export type { FilterKind } from './filter-kind.ts';
export type { Estimate } from './filters/estimate.ts';
export type {
  CountingFilter,
  Filter,
  GrowingFilter,
  IntersectingFilter,
  RemovingFilter,
  UnitingFilter,
} from './filters/filter.ts';
export type { FilterTraits } from './filters/kind.ts';
export { useKernel } from './kernel/engine-wasm.ts';
export type { CountedKeys, Keys, ManyKeys, Picked } from './keys/collections.ts';
export { type ColumnOffsets, column, KeyColumn } from './keys/column.ts';
export type { IntegerArray } from './keys/integers.ts';
export type { Key } from './keys/key.ts';
export { KeyLines, lines } from './keys/lines.ts';
export type { BlockedBloomFilterOptions } from './kinds/blocked.ts';
export { expectedBlockedErrorRate, optimalBlocks } from './kinds/blocked-sizing.ts';
export type { BloomFilterOptions } from './kinds/classic.ts';
export { expectedErrorRate, optimalBits, optimalHashes } from './kinds/classic-sizing.ts';
export type { CountingBloomFilterOptions } from './kinds/counting.ts';
export type { LineOptions, LineProgress } from './streams/line-run.ts';
export { addLines, dedupeLines, omitLines, pickLines } from './streams/line-streams.ts';

/**
 * Loads a filter of any kind of this entry that `toBytes` or `toChunks` saved on any engine. `loadAny` of
 * `bloomery/load` also loads kinds of other entries, and reads chunks.
 *
 * @throws SavedFilterError unless the bytes are one whole, undamaged filter of these kinds. The error for another kind
 *   names the entry that has it
 * @throws TypeError if `bytes` is something else; FilterMemoryError if there is no memory for the filter
 */
export function load(bytes: Uint8Array | ArrayBuffer): BloomFilter | BlockedBloomFilter | CountingBloomFilter {
  return loadBytes([BloomFilter, BlockedBloomFilter, CountingBloomFilter], bytes) as BloomFilter;
}
