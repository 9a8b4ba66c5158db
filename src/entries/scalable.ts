import * as scalable from '../filters/scalable.ts';
import type { Engine } from '../kernel/region.ts';
import { wasm } from '../kernel/wasm.ts';

export type { ScalableBloomFilterOptions } from '../filters/scalable.ts';

/**
 * A Bloom filter that grows: for keys whose number nobody knows. However many are added, absent keys look present at no
 * more than `errorRate`. Runs on WebAssembly; `bloomery/scalable/js` has the same class in plain JavaScript.
 *
 * It is a row of classic filters, called slices. When the last is full, the next new key opens another, for twice as
 * many keys and a lower error rate. If there is no memory for it, adding throws a RangeError and no key is lost.
 *
 * That takes 12.1 to 18.8 bits per key at 1 % when all slices are full, and 29.5 to 39 just after one was opened, for
 * up to 2047 times the first capacity; a `BloomFilter` of the right capacity takes 9.6. An absent key is looked up in
 * every slice, so let `capacity` be a good guess: a filter for 1000 keys that got a million, in ten slices, is ten
 * times as slow as one for a million.
 *
 * ```ts
 * const seen = new ScalableBloomFilter({ capacity: 10_000, errorRate: 0.001 });
 * for await (const url of urls) if (seen.add(url)) visit(url); // ten thousand of them, or ten million
 * ```
 */
export class ScalableBloomFilter extends scalable.ScalableBloomFilter {
  static override readonly engine: Engine = wasm;
}
