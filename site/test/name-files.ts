// The names of all npm packages as files to upload.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadNames } from '../../examples/names.ts';

export type NameFiles = ReturnType<typeof writeNames>;

/** Writes all names, and a list of every second one. */
export function writeNames(folder: string) {
  const names = loadNames();
  const [text, list] = [join(folder, 'names.txt'), join(folder, 'half.txt')];
  const contents = Buffer.from(`${names.join('\n')}\n`);
  writeFileSync(text, contents);
  writeFileSync(list, `${names.filter((_, i) => i % 2 === 0).join('\n')}\n`);
  return { text, list, lines: names.length, bytes: contents.length };
}
