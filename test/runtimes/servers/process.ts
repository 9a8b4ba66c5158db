import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BinaryFuseFilter } from '../../../src/entries/fuse.ts';
import { bundle, project } from '../bundle.ts';
import type { Outcome } from '../checks/check.ts';
import type { Realm, Target } from '../expected.ts';

const execute = promisify(execFile);

/** The path of a program that an npm package contains. */
export function installed(path: string): string {
  return fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
}

/** Runs a program to its end, and gives what it prints. */
export async function printed(path: string, ...args: string[]): Promise<string> {
  return (await execute(path, args, { timeout: 300_000, maxBuffer: 2 ** 26 })).stdout;
}

/** How a module gets the file of a filter that lies beside it: code that declares `bytes`, and arguments of the runtime. */
type Asset = readonly [name: string, code: string, ...args: string[]];

const fetched = "const bytes = await (await fetch(new URL('./names.bloom', import.meta.url))).bytes();";
const imported = "import bytes from './names.bloom' with { type: 'bytes' };";

async function assetOutcome(path: string, args: readonly string[], [name, code, ...more]: Asset): Promise<Outcome> {
  const folder = join(project(), 'assets');
  const module = join(folder, `${name}.js`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'names.bloom'), BinaryFuseFilter.from(['ada', 'grace']).toBytes());
  const use = "console.log(BinaryFuseFilter.fromBytes(bytes).pick(['ada', 'bob', 'grace']).join());";
  writeFileSync(module, `import { BinaryFuseFilter } from 'bloomery/fuse';\n${code}\n${use}\n`);
  const said = await printed(path, ...args, ...more, module);
  const outcome = { name: `the file of a filter, by ${name}` };
  return said === 'ada,grace\n' ? outcome : { ...outcome, error: `printed ${JSON.stringify(said)}` };
}

/** A runtime that is one process. It runs `bloomery` as it is installed in `node_modules`, not bundled. */
function processTarget(path: string, args: readonly string[] = [], assets: readonly Asset[] = []): Target {
  return async () => {
    const entry = fileURLToPath(new URL('inside.ts', import.meta.url));
    const module = await bundle({ entry, format: 'esm', platform: 'neutral', external: true });
    const { outcomes, ...report } = JSON.parse(await printed(installed(path), ...args, module)) as Realm;
    const more = await Promise.all(assets.map((asset) => assetOutcome(installed(path), args, asset)));
    return [{ ...report, outcomes: [...outcomes, ...more] }];
  };
}

// Without any permission: the package reads no file and opens no connection.
const denoArgs = ['run', '--no-prompt', '--no-remote', '--no-lock'];

export const processes: Readonly<Record<string, Target>> = {
  // Each from npm: the Node of this process may be any.
  ...Object.fromEntries([20, 22, 24, 26].map((major) => [`node${major}`, processTarget(`node${major}/bin/node`)])),
  bun: processTarget('@oven/bun-linux-x64/bin/bun', ['run', '--no-install'], [['fetch', fetched]]),
  deno: processTarget('@deno/linux-x64-glibc/deno', denoArgs, [
    ['import', imported, '--unstable-raw-imports'],
    ['fetch', fetched, '--allow-read'],
  ]),
};
