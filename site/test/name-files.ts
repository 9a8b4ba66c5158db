// The names of all npm packages as files to upload.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadNames } from '../../examples/names.ts';

export interface NameFiles {
  /** All names. */
  readonly text: string;
  /** Every second name. */
  readonly list: string;
  /** The number of all names. */
  readonly lines: number;
  /** The size of the file of all names. */
  readonly bytes: number;
}

/** Writes both files into a folder. */
export function writeNames(folder: string): NameFiles {
  const names = loadNames();
  const [text, list] = [join(folder, 'names.txt'), join(folder, 'half.txt')];
  const contents = Buffer.from(`${names.join('\n')}\n`);
  writeFileSync(text, contents);
  writeFileSync(list, `${names.filter((_, i) => i % 2 === 0).join('\n')}\n`);
  return { text, list, lines: names.length, bytes: contents.length };
}
