// The file of a filter beside a module, as runtimes that need no bundler give it to the module.

import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BinaryFuseFilter } from '../../../src/entries/fuse.ts';
import type { Outcome } from '../checks/check.ts';
import { project } from '../project.ts';

const execute = promisify(execFile);

/** How a module gets the file. */
export interface Asset {
  /** What the module does, for the report. */
  readonly name: string;
  /** The code that declares `bytes`. */
  readonly code: string;
  /** The arguments before the path of the module to run. */
  readonly args: readonly string[];
}

/** Runs a module that gets the file in this way, with `bloomery` as it is installed. */
export async function assetOutcome(path: string, { name, code, args }: Asset): Promise<Outcome> {
  const filter = BinaryFuseFilter.from(['ada', 'grace']);
  const folder = join(project(), 'assets');
  const module = join(folder, `${name.replaceAll(/\W+/g, '-')}.js`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'names.bloom'), filter.toBytes());
  const use = "console.log(BinaryFuseFilter.fromBytes(bytes).pick(['ada', 'bob', 'grace']).join());";
  writeFileSync(module, `import { BinaryFuseFilter } from 'bloomery/fuse';\n${code}\n${use}\n`);
  const { stdout } = await execute(path, [...args, module]);
  const outcome = { name: `the file of a filter, by ${name}` };
  return stdout === 'ada,grace\n' ? outcome : { ...outcome, error: `printed ${JSON.stringify(stdout)}` };
}
