import * as blocked from './filters/blocked.ts';
import * as bloom from './filters/bloom.ts';
import * as counting from './filters/counting.ts';
import { type Load, type LoadableClass, type LoadChunks, loadChunksFor, loadFor } from './filters/load.ts';
import { js } from './kernel/js.ts';
import type { Engine } from './kernel/region.ts';

export * from './api.ts';

/**
 * A set of keys in a fixed number of bits, which at times takes an absent key for a present one. Runs in plain
 * JavaScript, for where WebAssembly is refused; `bloomery` has the same, several times faster, on WebAssembly.
 *
 * ```ts
 * const taken = new BloomFilter({ capacity: 1_000_000, errorRate: 0.001 });
 * taken.add('ada');
 * taken.has('ada'); // true: always, for a key that was added
 * taken.has('bob'); // false: certainly absent. For 1 absent key in 1000, true
 * ```
 */
export class BloomFilter extends bloom.BloomFilter {
  static override readonly engine: Engine = js;
}

/**
 * A Bloom filter in which all bits of a key lie in one cache line: the fastest kind, for some more bits a key, and for
 * error rates of 10^-5 and above. Runs in plain JavaScript.
 */
export class BlockedBloomFilter extends blocked.BlockedBloomFilter {
  static override readonly engine: Engine = js;
}

/**
 * A Bloom filter from which keys can be removed, for four times the memory. Remove only what was added. Runs in plain JavaScript.
 */
export class CountingBloomFilter extends counting.CountingBloomFilter {
  static override readonly engine: Engine = js;
  static override readonly classic: typeof BloomFilter = BloomFilter;
}

/** A filter of one of the kinds of this entry. */
export type AnyFilter = BloomFilter | BlockedBloomFilter | CountingBloomFilter;

const classes: readonly LoadableClass[] = [BloomFilter, BlockedBloomFilter, CountingBloomFilter];

/** Loads a filter that `toBytes` or `toChunks` saved, of whichever kind. */
export const load: Load<AnyFilter> = /* @__PURE__ */ loadFor(classes);

/** Loads a filter as `load` does, from chunks of any size, in order, at once or as they come. */
export const loadChunks: LoadChunks<AnyFilter> = /* @__PURE__ */ loadChunksFor(classes);
