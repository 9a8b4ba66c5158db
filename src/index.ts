// The main entry, on WebAssembly: what `import 'bloomery'` gives. The classes are first, and lines before columns,
// because the code compresses better so: see kernel/engine-wasm.ts.

export { BlockedBloomFilter, BloomFilter, CountingBloomFilter, load } from './kinds/wasm.ts';

// Lines.

export { KeyLines, lines } from './keys/lines.ts';

// Everything else, in the order of paths.

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
export type { FilterKind } from './format/header.ts';
export { useKernel } from './kernel/engine-wasm.ts';
export type { CountedKeys, Keys, ManyKeys, Picked } from './keys/collections.ts';
export { type ColumnOffsets, column, KeyColumn } from './keys/column.ts';
export type { IntegerArray } from './keys/integers.ts';
export type { Key } from './keys/key.ts';
export type { BlockedBloomFilterOptions } from './kinds/blocked/filter.ts';
export { expectedBlockedErrorRate, optimalBlocks } from './kinds/blocked/sizing.ts';
export type { BloomFilterOptions } from './kinds/classic/filter.ts';
export { expectedErrorRate, optimalBits, optimalHashes } from './kinds/classic/sizing.ts';
export type { CountingBloomFilterOptions } from './kinds/counting/filter.ts';
export type { LineOptions, LineProgress } from './streams/line-run.ts';
export { addLines, dedupeLines, type LineStream, omitLines, pickLines } from './streams/line-streams.ts';
export { type ByteSource, fileStream } from './util/byte-source.ts';
export {
  FilterFullError,
  type FilterFullErrorCode,
  FilterMemoryError,
  SavedFilterError,
  type SavedFilterErrorCode,
} from './util/checks/errors.ts';
