import * as fuse from '../filters/fuse.ts';
import type { FuseExports } from '../kernel/generated/fuse/exports.ts';
import { instantiate } from '../kernel/generated/fuse/scalar.js';
import { jsWith } from '../kernel/js.ts';
import type { Engine } from '../kernel/region.ts';

export type { BinaryFuseFilterOptions } from '../filters/fuse.ts';
export { fingerprintBits, fuseCells } from '../sizing-fuse.ts';

const engine: Engine<FuseExports> = /* @__PURE__ */ jsWith(instantiate);

/**
 * A filter of keys that are all known beforehand, the smallest for lists that are shipped or looked up often. Runs in
 * plain JavaScript, for runtimes that refuse WebAssembly.
 */
export class BinaryFuseFilter extends fuse.BinaryFuseFilter {
  static override readonly engine: Engine<FuseExports> = engine;
}
