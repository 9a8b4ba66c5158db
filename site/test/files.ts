// The files that the tests upload, and what the library itself makes of them in Node.

import { createHash } from 'node:crypto';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BlockedBloomFilter, BloomFilter, lines } from '../../src/index.ts';
import type { Mode } from './filter-page.ts';

/** The number of lines of each of the two lists. They share half of their lines. */
export const LINES = 1_000_000;

/** The lines of names as they are on npm, in no order, from `first` on. */
function listFrom(first: number, count: number): Buffer {
  const nameAt = (i: number): string =>
    `${i % 3 === 0 ? '@scope/' : ''}${(Math.imul(i, 0x9e3779b1) >>> 0).toString(36)}-package-${i}\n`;
  return Buffer.from(Array.from({ length: count }, (_, i) => nameAt(first + i)).join(''));
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export interface Files {
  /** The path of one of them. */
  path(name: string): string;
  /** SHA-256 of what the library keeps, drops or dedupes with a blocked filter for `capacity` lines. */
  expected(mode: Mode, capacity: number, errorRate: number): string;
}

/** Writes them into a folder. */
export function writeFiles(folder: string): Files {
  const path = (name: string): string => join(folder, name);
  const text = listFrom(0, LINES);
  const list = listFrom(LINES / 2, LINES);
  const repeated = Buffer.concat([text, text]);
  const filter = BloomFilter.from(['ada', 'grace']).toBytes();
  const files = {
    // With the mark with which some editors begin a text. It belongs to no line.
    'text.txt': Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text]),
    'list.txt': list,
    'repeated.txt': repeated,
    // Takes long enough to be canceled.
    'large.txt': Buffer.concat(Array.from({ length: 12 }, () => text)),
    'some.txt': 'ada\nbob\n',
    'good.bloom': filter,
    'damaged.bloom': filter.with(-1, (filter.at(-1) ?? 0) ^ 1),
    'archive.txt': Uint8Array.of(0x50, 0x4b, 3, 4),
    'sparse.txt': 'a\n'.repeat(2 ** 20),
  };
  for (const [name, contents] of Object.entries(files)) writeFileSync(path(name), contents);
  // It has no blocks on the disk but its first.
  truncateSync(path('sparse.txt'), 100 * 2 ** 30);

  const digestOf = (mode: Mode, capacity: number, errorRate: number): string => {
    const blocked = new BlockedBloomFilter({ capacity, errorRate });
    if (mode === 'once') return sha256(blocked.dedupe(lines(repeated)).bytes);
    blocked.addMany(lines(list));
    return sha256((mode === 'keep' ? blocked.pick(lines(text)) : blocked.omit(lines(text))).bytes);
  };
  /** All browsers ask for the same. */
  const known = new Map<string, string>();
  return {
    path,
    expected(...asked) {
      const digest = known.get(asked.join()) ?? digestOf(...asked);
      known.set(asked.join(), digest);
      return digest;
    },
  };
}
