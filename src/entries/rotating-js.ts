import * as rotating from '../filters/rotating.ts';
import type { RotatingExports } from '../kernel/generated/rotating/exports.ts';
import { instantiate } from '../kernel/generated/rotating/scalar.js';
import { jsWith } from '../kernel/js.ts';
import type { Engine } from '../kernel/region.ts';

export type { RotatingBloomFilterOptions } from '../filters/rotating.ts';

const engine: Engine<RotatingExports> = /* @__PURE__ */ jsWith(instantiate);

/**
 * The `RotatingBloomFilter` of `bloomery/rotating` in plain JavaScript, for runtimes that refuse WebAssembly. It
 * forgets: it remembers the last `capacity` additions, at least, and with `window` what came in so many milliseconds.
 *
 * If more than `capacity` additions come in a window, the oldest keys go early, and `earlyRotations` rises. A file does
 * not contain the clock: unless it is `Date.now`, set `clock` right after loading.
 */
export class RotatingBloomFilter extends rotating.RotatingBloomFilter {
  static override readonly engine: Engine<RotatingExports> = engine;
}
