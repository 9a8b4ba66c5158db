import * as rotating from '../filters/rotating.ts';
import { EmbeddedModule, supply } from '../kernel/embedded.ts';
import type { RotatingExports } from '../kernel/generated/rotating/exports.ts';
import { code } from '../kernel/generated/rotating/wasm.ts';
import type { Engine } from '../kernel/region.ts';
import { wasmWith } from '../kernel/wasm.ts';

export type { RotatingBloomFilterOptions } from '../filters/rotating.ts';

const embedded: EmbeddedModule = /* @__PURE__ */ new EmbeddedModule(code);
const engine: Engine<RotatingExports> = /* @__PURE__ */ wasmWith(embedded, 'bloomery/rotating/js');

/**
 * Makes filters of this entry run on a module that is already compiled. Pass the kernel to `useKernel` of `bloomery`
 * as well, and call both before making the first filter.
 *
 * @param module the WebAssembly.Module of `bloomery/rotating/kernel.wasm`, of exactly this version
 * @throws TypeError for anything else
 */
export function useRotatingKernel(module: object): void {
  supply(embedded, module, 'bloomery/rotating/kernel.wasm');
}

/**
 * A Bloom filter that forgets: it remembers the last `capacity` keys, at least, and with `window` what came in so many
 * milliseconds. Runs on WebAssembly; `bloomery/rotating/js` has the same class in plain JavaScript.
 */
export class RotatingBloomFilter extends rotating.RotatingBloomFilter {
  static override readonly engine: Engine<RotatingExports> = engine;
}
