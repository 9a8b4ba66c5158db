import { EmbeddedModule, supply } from './embedded-module.ts';
import { linkedEngine } from './engine-wasm.ts';
import { code } from './generated/keyed/wasm.js';
import { type KeyedEngines, keep } from './keyed-engine.ts';

const embedded: EmbeddedModule = /* @__PURE__ */ new EmbeddedModule(code);

/**
 * Makes filters with a secret run on a module that is already compiled. Pass the kernel to `useKernel` of `bloomery` as
 * well, and call both before making the first filter.
 *
 * @param module the WebAssembly.Module of `bloomery/keyed/kernel.wasm`, of exactly this version
 * @throws TypeError for anything else
 */
export function useKeyedKernel(module: object): void {
  supply(embedded, module, 'bloomery/keyed/kernel.wasm');
}

/** Makes engines that hash keys under a secret. */
export const keyedEngines: KeyedEngines = {
  name: 'wasm',
  make(secret, { linkedModule }) {
    const modules = linkedModule ? [embedded, linkedModule as EmbeddedModule] : [embedded];
    return linkedEngine(modules, "import from 'bloomery/keyed/js'", keep(secret));
  },
};
