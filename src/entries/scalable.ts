import * as scalable from '../filters/scalable.ts';
import type { Engine } from '../kernel/region.ts';
import { wasm } from '../kernel/wasm.ts';

export type { ScalableBloomFilterOptions } from '../filters/scalable.ts';

/**
 * A Bloom filter that grows: for keys whose number nobody knows. However many are added, absent keys look present at no
 * more than `errorRate`. Runs on WebAssembly; `bloomery/scalable/js` has the same class in plain JavaScript.
 */
export class ScalableBloomFilter extends scalable.ScalableBloomFilter {
  static override readonly engine: Engine = wasm;
}
