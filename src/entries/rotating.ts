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
 * A Bloom filter that forgets: it remembers the last `capacity` additions, at least, and with `window` what came in so
 * many milliseconds. Runs on WebAssembly; `bloomery/rotating/js` has the same class in plain JavaScript.
 *
 * Its memory is constant and it is never full, so it suits endless streams. Keys are added to one of G lanes. When that
 * has its share of the keys, or its share of the window is over, the oldest lane is cleared and takes its turn. So a
 * key is found until `capacity` = N additions have been made after it, and is gone after about N · G / (G − 1)
 * different keys, except where it looks present by chance. A repeated key counts again unless the current lane has it.
 * Adding a key again keeps it as if it were new.
 *
 * With a window, a key is found for `window` milliseconds and gone after `window` · G / (G − 1). If more than
 * `capacity` additions come in a window, the oldest keys go early, so that the error rate is kept: `earlyRotations`
 * counts this. A file does not contain the clock: unless it is `Date.now`, set `clock` right after loading.
 *
 * ```ts
 * const seen = new RotatingBloomFilter({ capacity: 100_000, window: 60 * 60 * 1000 });
 * seen.add('job 17'); // true: not among the last 100,000 of the last hour
 * seen.add('job 17'); // false
 * ```
 */
export class RotatingBloomFilter extends rotating.RotatingBloomFilter {
  static override readonly engine: Engine<RotatingExports> = engine;
}
