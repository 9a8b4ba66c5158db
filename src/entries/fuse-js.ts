import * as fuse from '../filters/fuse.ts';
import type { FuseExports } from '../kernel/generated/fuse/exports.ts';
import { instantiate } from '../kernel/generated/fuse/scalar.js';
import { jsWith } from '../kernel/js.ts';
import type { Engine } from '../kernel/region.ts';

export type { BinaryFuseFilterOptions } from '../filters/fuse.ts';
export { fingerprintBits, fuseCells } from '../sizing-fuse.ts';

const engine: Engine<FuseExports> = /* @__PURE__ */ jsWith(instantiate);

/**
 * The `BinaryFuseFilter` of `bloomery/fuse` in plain JavaScript, for runtimes that refuse WebAssembly. It is the
 * smallest filter for keys that are all known beforehand.
 *
 * There is neither a constructor nor `add` nor `remove`: `from` takes all keys at once, and new keys need a new filter.
 * At most half as many keys fit as on WebAssembly.
 */
export class BinaryFuseFilter extends fuse.BinaryFuseFilter {
  static override readonly engine: Engine<FuseExports> = engine;
}
