import { wasm } from './kernel/wasm.ts';

// The engine is imported first, because its code compresses better there: see kernel/wasm.ts.

import * as blocked from './filters/blocked.ts';
import * as bloom from './filters/bloom.ts';
import * as counting from './filters/counting.ts';
import { loadBytes } from './filters/load.ts';
import type { Engine } from './kernel/region.ts';

export * from './api.ts';
export { useKernel } from './kernel/wasm.ts';

/**
 * A set of keys in a fixed number of bits. An absent key sometimes looks present; a key that was added always does.
 * Runs on WebAssembly; `bloomery/js` has the same class in plain JavaScript.
 *
 * ```ts
 * const taken = new BloomFilter({ capacity: 1_000_000, errorRate: 0.001 });
 * taken.add('ada');
 * taken.has('ada'); // true: always, for a key that was added
 * taken.has('bob'); // false: certainly absent. For 1 absent key in 1000: true
 * ```
 */
export class BloomFilter extends bloom.BloomFilter {
  static override readonly engine: Engine = wasm;
}

/**
 * A Bloom filter that keeps all bits of a key in one cache line. It is the fastest kind, but takes more bits per key
 * than a `BloomFilter` and keeps only error rates of 10^-5 and above; below 0.07 %, `WideBlockedBloomFilter` of
 * `bloomery/wide` is smaller, and goes down to 10^-8. Runs on WebAssembly.
 */
export class BlockedBloomFilter extends blocked.BlockedBloomFilter {
  static override readonly engine: Engine = wasm;
}

/**
 * A Bloom filter from which keys can be removed, for four times the memory. Remove only what was added. Runs on
 * WebAssembly.
 */
export class CountingBloomFilter extends counting.CountingBloomFilter {
  static override readonly engine: Engine = wasm;
  static override readonly classic: typeof BloomFilter = BloomFilter;
}

/**
 * Loads a filter of any kind of this entry that `toBytes` or `toChunks` saved on any engine. `loadAny` of
 * `bloomery/load` takes the kinds to choose from, those of other entries too, and chunks.
 *
 * @throws TypeError | RangeError unless the bytes are one whole, undamaged filter of these kinds. The error gives
 *   another kind by its number: 4 scalable, 5 rotating, 7 cuckoo, 10 fuse, 12 wide
 */
export function load(bytes: Uint8Array): BloomFilter | BlockedBloomFilter | CountingBloomFilter {
  return loadBytes([BloomFilter, BlockedBloomFilter, CountingBloomFilter], bytes) as BloomFilter;
}
