import * as wide from '../filters/wide.ts';
import type { WideExports } from '../kernel/generated/wide/exports.ts';
import { instantiate } from '../kernel/generated/wide/scalar.js';
import { jsWith } from '../kernel/js.ts';
import type { Engine } from '../kernel/region.ts';

export type { WideBlockedBloomFilterOptions } from '../filters/wide.ts';
export { expectedWideBlockedErrorRate, optimalWideBlocks } from '../sizing-wide.ts';

/**
 * A Bloom filter for rare errors, down to 10^-8, in which all bits of a key lie in one cache line. Runs in plain
 * JavaScript, for where WebAssembly is refused.
 */
export class WideBlockedBloomFilter extends wide.WideBlockedBloomFilter {
  static override readonly engine: Engine<WideExports> = /* @__PURE__ */ jsWith(instantiate);
}
