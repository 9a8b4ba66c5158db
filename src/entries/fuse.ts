import * as fuse from '../filters/fuse.ts';
import { EmbeddedModule, supply } from '../kernel/embedded.ts';
import type { FuseExports } from '../kernel/generated/fuse/exports.ts';
import { code } from '../kernel/generated/fuse/wasm.ts';
import type { Engine } from '../kernel/region.ts';
import { wasmWith } from '../kernel/wasm.ts';

export type { BinaryFuseFilterOptions } from '../filters/fuse.ts';
export { fingerprintBits, fuseCells } from '../sizing-fuse.ts';

const embedded: EmbeddedModule = /* @__PURE__ */ new EmbeddedModule(code);
const engine: Engine<FuseExports> = /* @__PURE__ */ wasmWith(embedded, 'bloomery/fuse/js');

/**
 * Makes filters of this entry run on a module that is already compiled. Pass the kernel to `useKernel` of `bloomery`
 * as well, and call both before making the first filter.
 *
 * @param module the WebAssembly.Module of `bloomery/fuse/kernel.wasm`, of exactly this version
 * @throws TypeError for anything else
 */
export function useFuseKernel(module: object): void {
  supply(embedded, module, 'bloomery/fuse/kernel.wasm');
}

/**
 * A filter of keys that are all known beforehand, the smallest for lists that are shipped or looked up often. Runs on
 * WebAssembly; `bloomery/fuse/js` has the same class in plain JavaScript.
 *
 * There is neither a constructor nor `add` nor `remove`: `from` takes all keys at once, and new keys need a new filter.
 * From a million keys on, it takes 1.14 b bits per key for an error rate of 2^-b, where a `BloomFilter` takes 1.44 b.
 * Building takes more memory than the filter: 25 bytes per key at b = 8, see `from`.
 *
 * Filters of the same keys, bits per cell and seed have the same `toBytes()`, in whatever order the keys came.
 *
 * ```ts
 * const blocked = BinaryFuseFilter.from(['spam.example', 'scam.example'], { errorRate: 0.001 });
 * blocked.has('scam.example'); // true: always, for a key of the list
 * blocked.omit(['spam.example', 'example.org']); // ['example.org']
 * ```
 */
export class BinaryFuseFilter extends fuse.BinaryFuseFilter {
  static override readonly engine: Engine<FuseExports> = engine;
}
