// Prints the hashes for the `integrity` attribute, with which a page verifies that a server sends the single files of
// this version.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { singleFiles } from './single-files.ts';

for (const file of singleFiles) {
  console.log(`${file}  sha384-${createHash('sha384').update(readFileSync(file)).digest('base64')}`);
}
