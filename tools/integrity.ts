// Prints the hashes with which a page makes sure that a server sends it the single files of this very version.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { singleFiles } from './single-files.ts';

for (const file of singleFiles) {
  console.log(`${file}  sha384-${createHash('sha384').update(readFileSync(file)).digest('base64')}`);
}
