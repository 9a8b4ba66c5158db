import * as fuseMap from './filter.ts';

// The kind comes before the engine, because the code compresses better so.

import { EmbeddedModule, supply } from '../../kernel/embedded-module.ts';
import { wasmWith } from '../../kernel/engine-wasm.ts';
import { code } from '../../kernel/generated/fuse-map/wasm.js';
import type { Engine } from '../../kernel/region.ts';

const embedded: EmbeddedModule = /* @__PURE__ */ new EmbeddedModule(code);
const engine: Engine = /* @__PURE__ */ wasmWith(embedded, 'bloomery/fuse-map/js');

/**
 * Makes filters of this entry run on a module that is already compiled. Pass the kernel to `useKernel` of `bloomery`
 * as well, and call both before making the first filter.
 *
 * @param module the WebAssembly.Module of `bloomery/fuse-map/kernel.wasm`, of exactly this version
 * @throws TypeError for anything else
 */
export function useFuseMapKernel(module: object): void {
  supply(embedded, module, 'bloomery/fuse-map/kernel.wasm');
}

/** `FuseMap` on WebAssembly: see filter.ts, whose comment the build puts here. */
export class FuseMap extends fuseMap.FuseMap {
  /** The name of the kind of all filters of this class. */
  declare static readonly kind: 'fuse-map';
  static override readonly engine: Engine = engine;
}
