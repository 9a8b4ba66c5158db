import * as scalable from '../filters/scalable.ts';
import { js } from '../kernel/js.ts';
import type { Engine } from '../kernel/region.ts';

export type { ScalableBloomFilterOptions } from '../filters/scalable.ts';

/**
 * The `ScalableBloomFilter` of `bloomery/scalable` in plain JavaScript, for runtimes that refuse WebAssembly. It grows:
 * however many keys are added, absent keys look present at no more than `errorRate`.
 *
 * When its last slice is full, it opens another, for twice as many keys. An absent key is looked up in every slice, so
 * let `capacity` be a good guess.
 */
export class ScalableBloomFilter extends scalable.ScalableBloomFilter {
  static override readonly engine: Engine = js;
}
