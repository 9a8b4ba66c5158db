// The exports that `bloomery` and `bloomery/js` share.

export { type ByteSource, fileStream } from './chunks.ts';
export type { BlockedBloomFilterOptions } from './filters/blocked.ts';
export type { BloomFilterOptions } from './filters/bloom.ts';
export type { CountingBloomFilterOptions } from './filters/counting.ts';
export type { Filter, GrowingFilter } from './filters/filter.ts';
export { type ColumnOffsets, column, KeyColumn } from './keys/column.ts';
export type { IntegerArray } from './keys/integers.ts';
export type { Key } from './keys/key.ts';
export { KeyLines, lines } from './keys/lines.ts';
export type { Keys, ManyKeys, Picked } from './keys/many.ts';
export { expectedErrorRate, optimalBits, optimalHashes } from './sizing.ts';
export { expectedBlockedErrorRate, optimalBlocks } from './sizing-blocked.ts';
export { addLines } from './streams/add.ts';
export type { LineOptions, LineProgress } from './streams/options.ts';
export { dedupeLines, omitLines, pickLines } from './streams/transform.ts';
