import * as filters from './filters/bloom.ts';
import { js } from './kernel/js.ts';
import type { Engine } from './kernel/kernel.ts';

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
export class BloomFilter extends filters.BloomFilter {
  static override readonly engine: Engine = js;
}
