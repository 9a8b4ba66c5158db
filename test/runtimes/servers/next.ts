import { execFile, spawn } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BinaryFuseFilter } from '../../../src/entries/fuse.ts';
import { bundle, project } from '../bundle.ts';
import type { Outcome } from '../checks/check.ts';
import type { Realm, Target } from '../expected.ts';
import { addressOf, outcomesOf } from './edge-runtime.ts';

const FOLDER = fileURLToPath(new URL('../next/', import.meta.url));
const NEXT = join(FOLDER, 'node_modules/next');

/** Puts the package, as a project gets it, and the program where Next.js finds them. */
async function prepare(): Promise<void> {
  const entry = fileURLToPath(new URL('next-program.ts', import.meta.url));
  copyFileSync(await bundle({ entry, format: 'esm', platform: 'neutral', external: true }), join(FOLDER, 'program.js'));
  writeFileSync(join(FOLDER, 'names.bloom'), BinaryFuseFilter.from(['ada', 'grace']).toBytes());
  const there = join(FOLDER, 'node_modules/bloomery');
  rmSync(there, { recursive: true, force: true });
  cpSync(join(project(), 'node_modules/bloomery'), there, { recursive: true });
}

/** What a page or a route must contain. */
async function shows(name: string, url: string, wanted: string): Promise<Outcome> {
  const text = await (await fetch(url)).text();
  return text.includes(wanted) ? { name } : { name, error: `it shows ${text}` };
}

/** Builds the project with a bundler, and runs the program in an edge route and in middleware of the built server. */
async function realmsOf(bundler: 'webpack' | 'turbopack', version: string): Promise<Realm[]> {
  const bin = join(NEXT, 'dist/bin/next');
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', DIST_DIR: `.next/${bundler}` };
  const options = { cwd: FOLDER, env };
  await promisify(execFile)(process.execPath, [bin, 'build', `--${bundler}`], { ...options, timeout: 300_000 });
  const args = [bin, 'start', '--port', '0'];
  const server = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const address = await addressOf(server.stdout);
    // What the page shows before any script runs. Next.js renders it in Node, where WebAssembly runs.
    const own = [await shows('a client page is rendered', address, '<output>ada true wasm</output>')];
    if (bundler === 'turbopack') {
      const what = 'the file of a filter, by import with { type: "bytes" }';
      own.push(await shows(what, `${address}/api/asset`, 'ada,grace'));
    }
    const edge = await outcomesOf(`${address}/api/edge${bundler === 'webpack' ? '?first' : ''}`);
    const middleware = await outcomesOf(`${address}/middleware`);
    return [
      { realm: `edge route, ${bundler}`, version, outcomes: [...edge, ...own] },
      { realm: `middleware, ${bundler}`, version, outcomes: middleware },
    ];
  } finally {
    server.kill();
  }
}

export const next: Target = async () => {
  await prepare();
  const { version } = JSON.parse(readFileSync(join(NEXT, 'package.json'), 'utf8')) as { version: string };
  return [...(await realmsOf('webpack', version)), ...(await realmsOf('turbopack', version))];
};
