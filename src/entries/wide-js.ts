import * as wide from '../filters/wide.ts';
import type { WideExports } from '../kernel/generated/wide/exports.ts';
import { instantiate } from '../kernel/generated/wide/scalar.js';
import { jsWith } from '../kernel/js.ts';
import type { Engine } from '../kernel/region.ts';

export type { WideBlockedBloomFilterOptions } from '../filters/wide.ts';
export { expectedWideBlockedErrorRate, optimalWideBlocks } from '../sizing-wide.ts';

const engine: Engine<WideExports> = /* @__PURE__ */ jsWith(instantiate);

/**
 * The `WideBlockedBloomFilter` of `bloomery/wide` in plain JavaScript, for runtimes that refuse WebAssembly. It is for
 * low error rates, 0.07 % to 10^-8, and keeps all bits of a key in one cache line.
 */
export class WideBlockedBloomFilter extends wide.WideBlockedBloomFilter {
  static override readonly engine: Engine<WideExports> = engine;
}
