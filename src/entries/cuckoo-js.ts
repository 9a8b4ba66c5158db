import * as cuckoo from '../filters/cuckoo.ts';
import type { CuckooExports } from '../kernel/generated/cuckoo/exports.ts';
import { instantiate } from '../kernel/generated/cuckoo/scalar.js';
import { jsWith } from '../kernel/js.ts';
import type { Engine } from '../kernel/region.ts';

export type { CuckooFilterOptions } from '../filters/cuckoo.ts';
export { expectedCuckooErrorRate, optimalBuckets, optimalFingerprintBits } from '../sizing-cuckoo.ts';

const engine: Engine<CuckooExports> = /* @__PURE__ */ jsWith(instantiate);

/**
 * A filter from which keys can be removed, in a quarter of the memory of a `CountingBloomFilter`. Runs in plain
 * JavaScript, for runtimes that refuse WebAssembly.
 */
export class CuckooFilter extends cuckoo.CuckooFilter {
  static override readonly engine: Engine<CuckooExports> = engine;
}
