import * as wide from '../filters/wide.ts';
import { EmbeddedModule, supply } from '../kernel/embedded.ts';
import type { WideExports } from '../kernel/generated/wide/exports.ts';
import { code } from '../kernel/generated/wide/wasm.ts';
import type { Engine } from '../kernel/region.ts';
import { wasmWith } from '../kernel/wasm.ts';

export type { WideBlockedBloomFilterOptions } from '../filters/wide.ts';
export { expectedWideBlockedErrorRate, optimalWideBlocks } from '../sizing-wide.ts';

const embedded: EmbeddedModule = /* @__PURE__ */ new EmbeddedModule(code);
const engine: Engine<WideExports> = /* @__PURE__ */ wasmWith(embedded, 'bloomery/wide/js');

/**
 * Makes filters of this entry run on a module that is already compiled. Pass the kernel to `useKernel` of `bloomery`
 * as well, and call both before making the first filter.
 *
 * @param module the WebAssembly.Module of `bloomery/wide/kernel.wasm`, of exactly this version
 * @throws TypeError for anything else
 */
export function useWideKernel(module: object): void {
  supply(embedded, module, 'bloomery/wide/kernel.wasm');
}

/**
 * A Bloom filter for low error rates, down to 10^-8, that keeps all bits of a key in one cache line. Runs on
 * WebAssembly; `bloomery/wide/js` has the same class in plain JavaScript.
 *
 * It sets sixteen bits per key where a `BlockedBloomFilter` sets eight, which makes it the smaller of the two at error
 * rates of 0.07 % and below. It takes 20 % more bits than a `BloomFilter` at 0.1 %, and 36 % more at 10^-6. In return,
 * each key costs one cache line where a `BloomFilter` reads up to 20.
 *
 * ```ts
 * const seen = new WideBlockedBloomFilter({ capacity: 10_000_000, errorRate: 1e-6 });
 * seen.dedupe(['a', 'b', 'a']); // ['a', 'b']: one new key in a million is lost
 * ```
 */
export class WideBlockedBloomFilter extends wide.WideBlockedBloomFilter {
  static override readonly engine: Engine<WideExports> = engine;
}
