// `npm run rename` writes the name, the version and `published` into the documents. `npm run rename -- NAME` gives the
// package another name first, in every file of the repository.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { renamed, thisPackage, writeSections } from './package-name.ts';

/** Files about past versions, and files about names. */
const KEPT = /^(?:tools\/package-name\.ts|test\/package\/name\.test\.ts|bench\/.*\.json)$|\.(?:png|wasm|gz|bloom|bin)$/;

const [name = thisPackage.name] = process.argv.slice(2);
if (!/^(?:@[a-z0-9-]+\/)?[a-z0-9-]+$/.test(name)) throw new RangeError(`not a name of a package: ${name}`);
if (name !== thisPackage.name) {
  const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0');
  for (const file of files.filter((each) => each !== '' && !(KEPT.test(each) && !each.endsWith('package.json')))) {
    const text = readFileSync(file, 'utf8');
    const other = renamed(text, thisPackage.name, name);
    if (other !== text) writeFileSync(file, other);
  }
}
writeSections({ ...thisPackage, name });
