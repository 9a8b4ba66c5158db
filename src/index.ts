import * as filters from './filters/bloom.ts';
import type { Engine } from './kernel/kernel.ts';
import { wasm } from './kernel/wasm.ts';

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
export class BloomFilter extends filters.BloomFilter {
  static override readonly engine: Engine = wasm;
}
