import * as cuckoo from '../filters/cuckoo.ts';
import { EmbeddedModule, supply } from '../kernel/embedded.ts';
import type { CuckooExports } from '../kernel/generated/cuckoo/exports.ts';
import { code } from '../kernel/generated/cuckoo/wasm.ts';
import type { Engine } from '../kernel/region.ts';
import { wasmWith } from '../kernel/wasm.ts';

export type { CuckooFilterOptions } from '../filters/cuckoo.ts';
export { expectedCuckooErrorRate, optimalBuckets, optimalFingerprintBits } from '../sizing-cuckoo.ts';

const embedded: EmbeddedModule = /* @__PURE__ */ new EmbeddedModule(code);
const engine: Engine<CuckooExports> = /* @__PURE__ */ wasmWith(embedded, 'bloomery/cuckoo/js');

/**
 * Makes filters of this entry run on a module that is already compiled. Pass the kernel to `useKernel` of `bloomery`
 * as well, and call both before making the first filter.
 *
 * @param module the WebAssembly.Module of `bloomery/cuckoo/kernel.wasm`, of exactly this version
 * @throws TypeError for anything else
 */
export function useCuckooKernel(module: object): void {
  supply(embedded, module, 'bloomery/cuckoo/kernel.wasm');
}

/**
 * A filter from which keys can be removed, in a quarter of the memory of a `CountingBloomFilter`. Runs on WebAssembly;
 * `bloomery/cuckoo/js` has the same class in plain JavaScript.
 *
 * **Remove only what was added.** Removing a key that was never added, but looks present, removes another key, which
 * then looks absent.
 *
 * **It can be full.** When there is no room for a key, adding it throws a RangeError and changes nothing, so no key is
 * ever lost. Removing keys makes room.
 *
 * **Every `add` stores a copy**, up to eight of a key, and every `remove` takes one away. A filter with many copies is
 * full long before it holds `capacity` keys. `dedupe` stores only keys that look absent, and returns them.
 *
 * ```ts
 * const sessions = new CuckooFilter({ capacity: 1_000_000, errorRate: 0.001 });
 * sessions.add('ada');
 * sessions.remove('ada');
 * sessions.has('ada'); // false, or for 1 absent key in 1000: true
 * ```
 */
export class CuckooFilter extends cuckoo.CuckooFilter {
  static override readonly engine: Engine<CuckooExports> = engine;
}
