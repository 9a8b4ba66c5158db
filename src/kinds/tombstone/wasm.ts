import * as tombstone from './filter.ts';

// The kind comes before the engine, because the code compresses better so.

import { wasmElse } from '../../kernel/engine-wasm.ts';
import type { Engine } from '../../kernel/region.ts';

const engine: Engine = /* @__PURE__ */ wasmElse("import from 'bloomery/tombstone/js'");

/** `TombstoneFilter` on WebAssembly: see filter.ts, whose comment the build puts here. */
export class TombstoneFilter extends tombstone.TombstoneFilter {
  /** The name of the kind of all filters of this class. */
  declare static readonly kind: 'tombstone';
  static override readonly engine: Engine = engine;
}
