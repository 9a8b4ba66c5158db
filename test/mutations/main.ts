// Makes small changes to the code of a folder, one at a time, and tells which of them the tests notice:
// `npm run mutations -- assembly`, and `npm run mutations -- src/delta` or any other file or folder of `src` or `cli`.

import { integerOf, misused, optionsOf } from '../shared/options.ts';
import { mutateAssembly } from './assembly.ts';
import { runStryker } from './stryker.ts';

export interface Options {
  readonly only: readonly string[];
  readonly save: boolean;
}

const USAGE = `Usage: npm run mutations -- assembly [--only FILE]... [--save]
       npm run mutations -- src/FOLDER|cli/FOLDER [--tests PATTERN]... [--every N] [--save]

The second form runs StrykerJS with the tests of test/FOLDER and of the folders that stryker.ts adds, or with those that
--tests names: some folders, such as src/kinds/wide, have their tests in files of other names. It mutates each line, or
every N-th.`;

const { values, positionals } = optionsOf(USAGE, {
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    save: { type: 'boolean', default: false },
    tests: { type: 'string', multiple: true, default: [] },
    every: { type: 'string', default: '1' },
  },
});

const target = (positionals[0] ?? '').replace(/\/$/, '');
const every = integerOf('--every', values.every, 1, USAGE);
let survived = 0;
if (target === 'assembly') survived = await mutateAssembly(values);
else if (/^(src|cli)\b/.test(target)) survived = runStryker(target, { ...values, every });
else misused('What is to be changed?', USAGE);
if (survived > 0) process.exitCode = 1;
