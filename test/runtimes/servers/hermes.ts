import { execFile } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundle } from '../bundle.ts';
import type { Outcome } from '../checks/check.ts';
import { project } from '../project.ts';
import type { Target } from '../target.ts';

const TIMEOUT_MS = 300_000;
const FOLDER = fileURLToPath(new URL('../native/', import.meta.url));

const execute = promisify(execFile);

async function run(path: string, ...args: string[]): Promise<string> {
  return (await execute(path, args, { timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 })).stdout;
}

/** The bytecode compiler of React Native today, of which npm has no virtual machine, takes the bundle too. */
async function compile(script: string): Promise<Outcome> {
  const compiler = join(FOLDER, 'node_modules/hermes-compiler/hermesc/linux64-bin/hermesc');
  const [, version] = /release version: (\S+)/.exec(await run(compiler, '--version')) ?? [];
  try {
    await run(compiler, '-w', '-emit-binary', '-out', `${script}.hbc`, script);
    return { name: 'js: Hermes compiles the bundle', detail: `version ${version}` };
  } catch (error) {
    return { name: 'js: Hermes compiles the bundle', error: String(error) };
  }
}

/** Hermes, the engine of React Native, runs what Metro has bundled from the package as it is installed. */
export const hermes: Target = {
  name: 'hermes',
  async run() {
    const entry = fileURLToPath(new URL('native.ts', import.meta.url));
    const module = await bundle({ entry, format: 'esm', platform: 'neutral', external: true });
    const script = join(dirname(module), `metro-${basename(module)}`);
    await run(process.execPath, join(FOLDER, 'bundle.js'), project(), module, script);
    const engine = join(FOLDER, 'node_modules/hermes-engine-cli/linux64-bin/hermes');
    const [, version = ''] = /release version: (\S+)/.exec(await run(engine, '--version')) ?? [];
    const outcomes = JSON.parse(await run(engine, '-O', script)) as Outcome[];
    return [{ runtime: 'Hermes', version, realm: 'Metro', outcomes: [...outcomes, await compile(script)] }];
  },
};
