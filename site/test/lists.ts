// The files that the tests upload, and what the library itself makes of them in Node.

import { openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { BlockedBloomFilter, BloomFilter, lines } from '../../src/index.ts';
import { listFrom, sha256 } from '../../test/runtimes/browsers/list-file.ts';

/** The number of lines of each of the two lists. They share half of their lines. */
export const LINES = 1_000_000;

export interface Lists {
  readonly folder: string;
  readonly text: string;
  readonly list: string;
  /** The lines of the text twice, one after the other. */
  readonly repeated: string;
  /** Takes long enough to be canceled. */
  readonly large: string;
  /** SHA-256 of what the library keeps, drops or dedupes with a blocked filter for `capacity` lines. */
  expected(mode: 'keep' | 'drop' | 'once', capacity: number, errorRate: number): string;
}

/** Writes two lists of a million lines into a folder. */
export function writeLists(folder: string): Lists {
  const path = (name: string): string => join(folder, name);
  const text = listFrom(0, LINES);
  const list = listFrom(LINES / 2, LINES);
  const repeated = Buffer.concat([text, text]);
  // With the mark with which some editors begin a text. It belongs to no line.
  writeFileSync(path('text.txt'), Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text]));
  writeFileSync(path('list.txt'), list);
  writeFileSync(path('repeated.txt'), repeated);
  const large = openSync(path('large.txt'), 'w');
  for (let i = 0; i < 12; i++) writeSync(large, text);
  return {
    folder,
    text: path('text.txt'),
    list: path('list.txt'),
    repeated: path('repeated.txt'),
    large: path('large.txt'),
    expected(mode, capacity, errorRate) {
      const filter = new BlockedBloomFilter({ capacity, errorRate });
      if (mode === 'once') return sha256(filter.dedupe(lines(repeated)).bytes);
      filter.addMany(lines(list));
      return sha256((mode === 'keep' ? filter.pick(lines(text)) : filter.omit(lines(text))).bytes);
    },
  };
}

export interface WrongFiles {
  readonly [name: string]: string;
}

/** Writes files that are no lists or no filters. The large one has no blocks on the disk but its first. */
export function writeWrongFiles(folder: string): WrongFiles {
  const files: Record<string, string> = {};
  const write = (name: string, contents: string | Uint8Array): void => {
    files[name] = join(folder, name);
    writeFileSync(files[name], contents);
  };
  const filter = BloomFilter.from(['ada', 'grace']).toBytes();
  write('good.bloom', filter);
  write('empty.txt', '');
  write('some.txt', 'ada\nbob\n');
  write('archive.txt', Uint8Array.of(0x50, 0x4b, 3, 4));
  const damaged = filter.slice();
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
  write('damaged.bloom', damaged);
  write('sparse.txt', 'a\n'.repeat(2 ** 20));
  truncateSync(files['sparse.txt'] as string, 100 * 2 ** 30);
  return files;
}
