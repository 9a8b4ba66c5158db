// Declarations that a snippet may name in a comment before it: `<!-- uses: monday, tuesday -->`.

import { BloomFilter } from 'bloomery';

export const monday: BloomFilter = BloomFilter.from(['ada', 'alan']);
export const tuesday: BloomFilter = BloomFilter.from(['bob', 'alan']);
