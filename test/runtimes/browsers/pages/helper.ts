// The Worker that pages ask: what it does by name.

import { BloomFilter } from 'bloomery';
import { SharedBlockedBloomFilter, SharedBloomFilter, type SharedHandle } from 'bloomery/shared';
import { filterList, type List } from './list-filter.ts';
import { answer } from './runner.ts';

answer({
  /** Adds a key to a saved filter. */
  addKey(bytes: Uint8Array): Uint8Array {
    const filter = BloomFilter.fromBytes(bytes);
    filter.add('alan');
    return filter.toBytes();
  },

  /** Adds the keys from one number up to another to a shared filter, and answers how many were new. */
  share({ handle, from, to }: { handle: SharedHandle; from: number; to: number }): number {
    using filter =
      handle.kind === 'classic' ? SharedBloomFilter.attach(handle) : SharedBlockedBloomFilter.attach(handle);
    let fresh = 0;
    for (let i = from; i < to; i += 1000) {
      fresh += filter.dedupe(Array.from({ length: Math.min(1000, to - i) }, (_, j) => `key ${i + j}`)).length;
    }
    return fresh;
  },

  filterList: (list: List, onProgress: (bytes: number) => void) => filterList(list, { onProgress }),
});
