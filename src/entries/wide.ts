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
 */
export class WideBlockedBloomFilter extends wide.WideBlockedBloomFilter {
  static override readonly engine: Engine<WideExports> = engine;
}
