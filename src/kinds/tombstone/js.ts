import * as tombstone from './filter.ts';

// The kind comes before the engine, because the code compresses better so.

import { jsWith } from '../../kernel/engine-js.ts';
import { instantiate } from '../../kernel/generated/fingerprint-set/scalar.js';
import type { Engine } from '../../kernel/region.ts';

const engine: Engine = /* @__PURE__ */ jsWith(instantiate);

/** `TombstoneFilter` in plain JavaScript: see filter.ts, whose comment the build puts here. */
export class TombstoneFilter extends tombstone.TombstoneFilter {
  /** The name of the kind of all filters of this class. */
  declare static readonly kind: 'tombstone';
  static override readonly engine: Engine = engine;
}
