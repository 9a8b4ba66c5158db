// Runs programs one after another in this process, `node all.js FILE FOLDER...`: `snippet.js` in each folder. Writes the
// errors of each to the file, also those that nobody waits for.

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , file, ...folders] = process.argv;
const errors = [];
process.on('exit', () => writeFileSync(file, JSON.stringify(errors)));
for (const [at, folder] of folders.entries()) {
  const failed = (error) => {
    errors[at] = `${errors[at] ?? ''}${error?.stack ?? error}`;
  };
  process.removeAllListeners('uncaughtException').on('uncaughtException', failed);
  process.chdir(folder);
  await import(pathToFileURL(resolve('snippet.js'))).catch(failed);
  // What nobody waits for is thrown soon.
  await new Promise((done) => setImmediate(done));
  errors[at] ??= '';
}
