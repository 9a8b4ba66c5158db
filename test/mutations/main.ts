// Makes small changes to the code of a folder, one at a time, and tells which of them the tests notice:
// `npm run mutations -- assembly`.

import { parseArgs } from 'node:util';
import { mutateAssembly } from './assembly.ts';

export interface Options {
  /** The names of the files that are changed; all if there are none. */
  readonly only: readonly string[];
  /** Whether the results of these files are written to RESULTS.md beside this file. */
  readonly save: boolean;
}

/** Each returns the number of changes that no test noticed. */
const folders: Readonly<Record<string, (options: Options) => Promise<number>>> = {
  assembly: mutateAssembly,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Changes files with these names. */
    only: { type: 'string', multiple: true, default: [] },
    /** Writes the results to RESULTS.md beside this file. */
    save: { type: 'boolean', default: false },
  },
});

const mutate = folders[positionals[0] ?? ''];
if (mutate === undefined || positionals.length > 1) {
  console.error(`usage: npm run mutations -- ${Object.keys(folders).join('|')} [--only FILE] [--save]`);
  process.exitCode = 2;
} else if ((await mutate(values)) > 0) {
  process.exitCode = 1;
}
