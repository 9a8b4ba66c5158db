// The classes of the main entry in plain JavaScript.

import { js } from '../kernel/engine-js.ts';

// The kinds come after the engine, and loading after both, because the code compresses better so.

import type { Engine } from '../kernel/region.ts';
import * as blocked from './blocked/filter.ts';
import * as classic from './classic/filter.ts';
import * as counting from './counting/filter.ts';

// Apart, so that imports are not sorted together: see above.

import { loadBytes } from '../filters/load.ts';

/** `BloomFilter` in plain JavaScript: see classic/filter.ts, whose comment the build puts here. */
export class BloomFilter extends classic.BloomFilter {
  /** The name of the kind of all filters of this class. */
  declare static readonly kind: 'classic';
  static override readonly engine: Engine = js;
}

/** `BlockedBloomFilter` in plain JavaScript: see blocked/filter.ts, whose comment the build puts here. */
export class BlockedBloomFilter extends blocked.BlockedBloomFilter {
  /** The name of the kind of all filters of this class. */
  declare static readonly kind: 'blocked';
  static override readonly engine: Engine = js;
}

/** `CountingBloomFilter` in plain JavaScript: see counting/filter.ts, whose comment the build puts here. */
export class CountingBloomFilter extends counting.CountingBloomFilter {
  /** The name of the kind of all filters of this class. */
  declare static readonly kind: 'counting';
  static override readonly engine: Engine = js;
  static override readonly classic: typeof BloomFilter = BloomFilter;
}

/**
 * Loads a filter of any kind of this entry that `toBytes` or `toChunks` saved on any engine. `loadAny` of
 * `bloomery/load` also loads kinds of other entries, and reads chunks.
 *
 * @throws SavedFilterError unless the bytes are one whole, undamaged filter of these kinds. The error for another kind
 *   names the entry that has it
 * @throws TypeError if `bytes` is something else; FilterMemoryError if there is no memory for the filter
 */
export function load(bytes: Uint8Array | ArrayBuffer): BloomFilter | BlockedBloomFilter | CountingBloomFilter {
  return loadBytes([BloomFilter, BlockedBloomFilter, CountingBloomFilter], bytes) as BloomFilter;
}
