import { execFile, spawn } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BinaryFuseFilter } from '../../../src/entries/fuse.ts';
import { bundle } from '../bundle.ts';
import type { Outcome } from '../checks/check.ts';
import { project } from '../project.ts';
import type { Realm, Target } from '../target.ts';
import { addressOf, outcomesOf } from './edge-runtime.ts';

const TIMEOUT_MS = 300_000;
const FOLDER = fileURLToPath(new URL('../next/', import.meta.url));
const NEXT = join(FOLDER, 'node_modules/next');

const execute = promisify(execFile);

/** Puts the package, as a project gets it, and the program where Next.js finds them. */
async function prepare(): Promise<void> {
  const entry = fileURLToPath(new URL('next-program.ts', import.meta.url));
  copyFileSync(await bundle({ entry, format: 'esm', platform: 'neutral', external: true }), join(FOLDER, 'program.js'));
  writeFileSync(join(FOLDER, 'names.bloom'), BinaryFuseFilter.from(['ada', 'grace']).toBytes());
  const there = join(FOLDER, 'node_modules/bloomery');
  rmSync(there, { recursive: true, force: true });
  cpSync(join(project(), 'node_modules/bloomery'), there, { recursive: true });
}

/** What the page shows before any script runs. Next.js renders it in Node, where WebAssembly runs. */
async function pageOutcome(address: string): Promise<Outcome> {
  const html = await (await fetch(address)).text();
  const shown = /<output>(.*?)<\/output>/.exec(html)?.[1];
  const name = 'a client page is rendered';
  return shown === 'ada true wasm' ? { name } : { name, error: `it shows ${shown}` };
}

/** What a route answers from the file of a filter that it has imported. */
async function assetOutcome(address: string): Promise<Outcome> {
  const text = await (await fetch(`${address}/api/asset`)).text();
  const name = 'the file of a filter, by import with { type: "bytes" }';
  return text === 'ada,grace' ? { name } : { name, error: `it answers ${text}` };
}

/** Builds the project with a bundler, and runs the program in an edge route and in middleware of the built server. */
async function realmsOf(bundler: 'webpack' | 'turbopack', version: string): Promise<Realm[]> {
  const bin = join(NEXT, 'dist/bin/next');
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', DIST_DIR: `.next/${bundler}` };
  await execute(process.execPath, [bin, 'build', `--${bundler}`], { cwd: FOLDER, env, timeout: TIMEOUT_MS });
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const server = spawn(process.execPath, [bin, 'start', '--port', '0'], { cwd: FOLDER, env, stdio: [...stdio] });
  try {
    const address = await addressOf(server.stdout);
    const own = [await pageOutcome(address), ...(bundler === 'turbopack' ? [await assetOutcome(address)] : [])];
    const realms: Realm[] = [];
    for (const [place, path] of [
      ['edge route', bundler === 'webpack' ? '/api/edge?first' : '/api/edge'],
      ['middleware', '/middleware'],
    ] as const) {
      const outcomes = [...(await outcomesOf(address + path)), ...own];
      realms.push({ runtime: 'Next.js', version, realm: `${place}, ${bundler}`, outcomes });
    }
    return realms;
  } finally {
    server.kill();
  }
}

export const next: Target = {
  name: 'next',
  async run() {
    await prepare();
    const { version } = JSON.parse(readFileSync(join(NEXT, 'package.json'), 'utf8')) as { version: string };
    return [...(await realmsOf('webpack', version)), ...(await realmsOf('turbopack', version))];
  },
};
