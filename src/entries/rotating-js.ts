import * as rotating from '../filters/rotating.ts';
import type { RotatingExports } from '../kernel/generated/rotating/exports.ts';
import { instantiate } from '../kernel/generated/rotating/scalar.js';
import { jsWith } from '../kernel/js.ts';
import type { Engine } from '../kernel/region.ts';

export type { RotatingBloomFilterOptions } from '../filters/rotating.ts';

const engine: Engine<RotatingExports> = /* @__PURE__ */ jsWith(instantiate);

/**
 * A Bloom filter that forgets: it remembers the last `capacity` keys, at least, and with `window` what came in so many
 * milliseconds. Runs in plain JavaScript, for runtimes that refuse WebAssembly.
 */
export class RotatingBloomFilter extends rotating.RotatingBloomFilter {
  static override readonly engine: Engine<RotatingExports> = engine;
}
