import * as cuckoo from '../filters/cuckoo.ts';
import type { CuckooExports } from '../kernel/generated/cuckoo/exports.ts';
import { instantiate } from '../kernel/generated/cuckoo/scalar.js';
import { jsWith } from '../kernel/js.ts';
import type { Engine } from '../kernel/region.ts';

export type { CuckooFilterOptions } from '../filters/cuckoo.ts';
export { expectedCuckooErrorRate, optimalBuckets, optimalFingerprintBits } from '../sizing-cuckoo.ts';

const engine: Engine<CuckooExports> = /* @__PURE__ */ jsWith(instantiate);

/**
 * The `CuckooFilter` of `bloomery/cuckoo` in plain JavaScript, for runtimes that refuse WebAssembly. Keys can be
 * removed from it, in a quarter of the memory of a `CountingBloomFilter`.
 *
 * Remove only what was added. Every `add` stores a copy, so a key that was added twice must be removed twice. When
 * there is no room for a key, adding it throws a RangeError and changes nothing. `dedupe` stores only keys that look
 * absent.
 */
export class CuckooFilter extends cuckoo.CuckooFilter {
  static override readonly engine: Engine<CuckooExports> = engine;
}
