// Filters for keys that strangers choose: names at sign-up, ids of sessions, URLs of a crawl.
//
//   const { Names, Sessions } = classesUnder(secret); // 16 random bytes: generateSecret() of bloomery/keyed
//   const names = new Names({ capacity: 1_000_000 });

import { BloomFilter } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { keyed } from 'bloomery/keyed';

/** Makes the classes once: each has memory of its own. */
export function classesUnder(secret: Uint8Array) {
  return { Names: keyed(BloomFilter, secret), Sessions: keyed(CuckooFilter, secret) };
}
