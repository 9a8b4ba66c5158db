import * as fuseMap from './filter.ts';

// The kind comes before the engine, because the code compresses better so.

import { jsWith } from '../../kernel/engine-js.ts';
import { instantiate } from '../../kernel/generated/fuse-map/scalar.js';
import type { Engine } from '../../kernel/region.ts';

const engine: Engine = /* @__PURE__ */ jsWith(instantiate);

/** `FuseMap` in plain JavaScript: see filter.ts, whose comment the build puts here. */
export class FuseMap extends fuseMap.FuseMap {
  /** The name of the kind of all filters of this class. */
  declare static readonly kind: 'fuse-map';
  static override readonly engine: Engine = engine;
}
