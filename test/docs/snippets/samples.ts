// The files that snippets read.

import { gzipSync } from 'node:zlib';
import { BloomFilter } from '../../../src/index.ts';

const text = (...keys: string[]): string => keys.map((key) => `${key}\n`).join('');
/** Filters that can be merged have the same size. */
const filter = (...keys: string[]): Uint8Array => new BloomFilter({ capacity: 1000 }).addMany(keys).toBytes();

/** What other packages save of a filter of ada, grace and alan, at 1 %. */
const bloomFilters = {
  type: 'BloomFilter',
  _size: 29,
  _nbHashes: 7,
  _filter: { size: 32, content: 'sjVNEg==' },
  _seed: 78187493520,
};

export const samples: Readonly<Record<string, string | Uint8Array>> = {
  'bloom-filters.json': JSON.stringify(bloomFilters),
  'buckets.json': '[3591751177]',
  'names.txt': text('ada', 'alan', 'bob', 'edsger', 'grace'),
  'names.secret': '1f8e0c5b7a6d4f3e2b1c9d0a8f7e6d5c\n',
  'filter.secret': Uint8Array.from({ length: 16 }, (_, i) => 17 * i),
  'wanted.txt': text('ada', 'zoe'),
  'blocklist.txt': text('mallory', 'trudy'),
  'mails.txt': text('ada', 'mallory'),
  'mails.gz': gzipSync(text('ada', 'mallory')),
  'urls.txt': text('https://example.org/a', 'https://example.org/b', 'https://example.org/a'),
  'more-names.txt': text('eve'),
  'monday.txt': text('ada', 'bob'),
  'wednesday.txt': text('eve', 'zoe'),
  'users.csv': 'id,name,email\n1,"Countess, Ada",ada@example.org\n',
  'old.csv': 'id,name,email\n2,Bob,bob@example.org\n',
  'events.json': text('{"user":{"id":7}}', '{"user":{"id":7}}'),
  'lists.tsv': text('ads.example\t1', 'scam.example\t7'),
  'log.tsv': text('09:00\tads.example', '09:01\texample.org'),
  'redirects.json': text('{"path":"/old","target":{"id":3}}'),
  'seen.txt': text('https://example.org/a'),
  'seen.bloom': BloomFilter.from(['ada'], { capacity: 1000, errorRate: 1e-6 }).toBytes(),
  'tuesday.txt': text('bob', 'eve'),
  'blocked.bloom': filter('mallory', 'trudy'),
  'monday.bloom': filter('ada'),
  'tuesday.bloom': filter('bob'),
};
