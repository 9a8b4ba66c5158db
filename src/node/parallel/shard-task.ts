import type { Engine } from '../../kernel/region.ts';
import { type Content, fingerprintsOf, sortDistinct } from '../../kinds/fuse/build.ts';
import { sortDistinctKeys, valuesOf } from '../../kinds/fuse-map/values.ts';

/** How shards are built. */
export interface ShardTask {
  /** The number of bits per cell. */
  readonly bits: number;
  /** How many of them hold a value; undefined for filters. */
  readonly valueBits?: number;
}

/** What the cells of shards hold. */
export function contentOf({ bits, valueBits }: ShardTask): Content {
  return valueBits === undefined ? fingerprintsOf(bits) : valuesOf(valueBits, bits);
}

/** Sorts the words of keys, removes duplicates, and returns those that are left: a view of the same memory. */
export function sortFor({ valueBits }: ShardTask, engine: Engine, words: Uint32Array): Uint32Array {
  return valueBits === undefined ? sortDistinct(words) : sortDistinctKeys(engine, words);
}
