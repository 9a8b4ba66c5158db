import { wasm } from './kernel/wasm.ts';

// The engine comes first, for the sake of its code: see there.

import * as blocked from './filters/blocked.ts';
import * as bloom from './filters/bloom.ts';
import * as counting from './filters/counting.ts';
import { type Load, type LoadableClass, type LoadChunks, loadChunksFor, loadFor } from './filters/load.ts';
import type { Engine } from './kernel/region.ts';

export * from './api.ts';
export { useKernel } from './kernel/wasm.ts';

/**
 * A set of keys in a fixed number of bits, which at times takes an absent key for a present one. Runs on WebAssembly;
 * `bloomery/js` has the same in plain JavaScript.
 *
 * ```ts
 * const taken = new BloomFilter({ capacity: 1_000_000, errorRate: 0.001 });
 * taken.add('ada');
 * taken.has('ada'); // true: always, for a key that was added
 * taken.has('bob'); // false: certainly absent. For 1 absent key in 1000, true
 * ```
 */
export class BloomFilter extends bloom.BloomFilter {
  static override readonly engine: Engine = wasm;
}

/**
 * A Bloom filter in which all bits of a key lie in one cache line: the fastest kind, for some more bits a key, and for
 * error rates of 10^-5 and above. Runs on WebAssembly.
 */
export class BlockedBloomFilter extends blocked.BlockedBloomFilter {
  static override readonly engine: Engine = wasm;
}

/**
 * A Bloom filter from which keys can be removed, for four times the memory. Remove only what was added. Runs on WebAssembly.
 */
export class CountingBloomFilter extends counting.CountingBloomFilter {
  static override readonly engine: Engine = wasm;
  static override readonly classic: typeof BloomFilter = BloomFilter;
}

/** A filter of one of the kinds of this entry. */
export type AnyFilter = BloomFilter | BlockedBloomFilter | CountingBloomFilter;

const classes: readonly LoadableClass[] = [BloomFilter, BlockedBloomFilter, CountingBloomFilter];

/** Loads a filter that `toBytes` or `toChunks` saved, of whichever kind. */
export const load: Load<AnyFilter> = /* @__PURE__ */ loadFor(classes);

/** Loads a filter as `load` does, from chunks of any size, in order, at once or as they come. */
export const loadChunks: LoadChunks<AnyFilter> = /* @__PURE__ */ loadChunksFor(classes);
