// The large file that pages filter.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Names as they are on npm, in no order. */
function nameOf(i: number): string {
  const mixed = Math.imul(i, 0x9e3779b1) >>> 0;
  return `${i % 3 === 0 ? '@scope/' : ''}${mixed.toString(36)}-package-${i}\n`;
}

/** The lines of the names from `first` on. */
export function listFrom(first: number, count: number): Buffer {
  const bytes = Buffer.alloc(count * 40);
  let length = 0;
  for (let i = first; i < first + count; i++) length += bytes.write(nameOf(i), length, 'latin1');
  return bytes.subarray(0, length);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
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
