import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The absolute path of a checkout. Throws a RangeError if it has no build. */
export function builtFolder(folder: string): string {
  if (existsSync(join(folder, 'dist/index.js'))) return resolve(folder);
  throw new RangeError(`there is no dist/index.js in '${folder}': run npm ci and npm run build there`);
}
