import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, project } from '../bundle.ts';
import type { Outcome } from '../checks/check.ts';
import type { Target } from '../expected.ts';
import { printed } from './process.ts';

const FOLDER = fileURLToPath(new URL('../native/', import.meta.url));

const versionOf = async (program: string): Promise<string> =>
  /release version: (\S+)/.exec(await printed(program, '--version'))?.[1] ?? '';

/** The bytecode compiler of React Native today, of which npm has no virtual machine, takes the bundle too. */
async function compile(script: string): Promise<Outcome> {
  const name = 'js: Hermes compiles the bundle';
  const compiler = join(FOLDER, 'node_modules/hermes-compiler/hermesc/linux64-bin/hermesc');
  try {
    await printed(compiler, '-w', '-emit-binary', '-out', `${script}.hbc`, script);
    return { name, detail: `version ${await versionOf(compiler)}` };
  } catch (error) {
    return { name, error: String(error) };
  }
}

/** Hermes, the engine of React Native, runs what Metro has bundled from the package as it is installed. */
export const hermes: Target = async () => {
  const entry = fileURLToPath(new URL('native.ts', import.meta.url));
  const module = await bundle({ entry, format: 'esm', platform: 'neutral', external: true });
  const script = join(dirname(module), `metro-${basename(module)}`);
  await printed(process.execPath, join(FOLDER, 'bundle.js'), project(), module, script);
  const engine = join(FOLDER, 'node_modules/hermes-engine-cli/linux64-bin/hermes');
  const outcomes = JSON.parse(await printed(engine, '-O', script)) as Outcome[];
  const version = await versionOf(engine);
  return [{ realm: 'Metro', version, outcomes: [...outcomes, await compile(script)] }];
};
