// The large file that pages filter.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFrom, sha256 } from '../../../site/test/lists.ts';
import { BloomFilter, lines } from '../../../src/index.ts';

/** The number of lines in each half. The halves share half of their lines. */
const LINES = 1_500_000;

export interface ListFile {
  readonly path: string;
  /** Where the second half begins. */
  readonly middle: number;
  /** The number of lines in the first half. */
  readonly capacity: number;
  /** SHA-256 of the lines of the second half that a filter of the first half does not have. */
  readonly digest: string;
}

/** Writes the file, of some 70 MB, into a folder. */
export function writeList(folder: string): ListFile {
  const path = join(folder, 'names.txt');
  const [first, second] = [listFrom(0, LINES), listFrom(LINES / 2, LINES)];
  writeFileSync(path, first);
  writeFileSync(path, second, { flag: 'a' });
  const filter = new BloomFilter({ capacity: LINES });
  filter.addMany(lines(first));
  const kept = filter.omit(lines(second)).bytes;
  const digest = sha256(kept);
  return { path, middle: first.length, capacity: LINES, digest };
}
