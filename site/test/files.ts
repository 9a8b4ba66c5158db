// The files that the tests upload, and what the library itself makes of them in Node.

import { createHash } from 'node:crypto';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FingerprintSet } from '../../src/entries/fingerprint-set.ts';
import { BlockedBloomFilter, BloomFilter, lines } from '../../src/index.ts';

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
  /** SHA-256 of the lines of the text that the list does not have, and of its saved set. */
  readonly exact: { readonly left: string; readonly set: string };
  /** SHA-256 of what the library keeps or dedupes with a blocked filter for `capacity` lines. */
  expected(mode: 'keep' | 'once', capacity: number, errorRate: number): string;
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
    'users.csv': Buffer.from('name;email\nJürgen;A@x1\nZoë;zoe@x1\n', 'latin1'),
    'seen.jsonl': '{"id":1,"user":{"mail":"a@x1","n":2}}\n',
    'good.bloom': filter,
    'damaged.bloom': filter.with(-1, (filter.at(-1) ?? 0) ^ 1),
    'archive.txt': Uint8Array.of(0x50, 0x4b, 3, 4),
    'sparse.txt': 'a\n'.repeat(2 ** 20),
  };
  for (const [name, contents] of Object.entries(files)) writeFileSync(path(name), contents);
  // It has no blocks on the disk but its first.
  truncateSync(path('sparse.txt'), 100 * 2 ** 30);

  const known = new Set(list.toString().split('\n'));
  const left = text
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !known.has(line));
  const set = FingerprintSet.from(lines(list)).toBytes();
  const exact = { left: sha256(Buffer.from(`${left.join('\n')}\n`)), set: sha256(set) };

  return {
    path,
    exact,
    expected(mode, capacity, errorRate) {
      const blocked = new BlockedBloomFilter({ capacity, errorRate });
      if (mode === 'once') return sha256(blocked.dedupe(lines(repeated)).bytes);
      return sha256(blocked.addMany(lines(list)).pick(lines(text)).bytes);
    },
  };
}
