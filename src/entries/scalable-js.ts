import * as scalable from '../filters/scalable.ts';
import { js } from '../kernel/js.ts';
import type { Engine } from '../kernel/region.ts';

export type { ScalableBloomFilterOptions } from '../filters/scalable.ts';

/**
 * A Bloom filter that grows: for keys whose number nobody knows. However many are added, absent keys look present at no
 * more than `errorRate`. Runs in plain JavaScript, for runtimes that refuse WebAssembly.
 */
export class ScalableBloomFilter extends scalable.ScalableBloomFilter {
  static override readonly engine: Engine = js;
}
