// How each runtime that is not a browser runs the conformance program.

import { execFile, spawn } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BinaryFuseFilter } from '../../../src/entries/fuse.ts';
import { bundle, project } from '../bundle.ts';
import type { Outcome } from '../checks/check.ts';
import type { Realm, Target } from '../expected.ts';

const pathOf = (address: string): string => fileURLToPath(new URL(address, import.meta.url));

const execute = promisify(execFile);

export const installed = (path: string): string => pathOf(`../node_modules/${path}`);

async function printed(path: string, ...args: string[]): Promise<string> {
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
    const module = await bundle({ entry: pathOf('inside.ts'), format: 'esm', platform: 'neutral', external: true });
    const { outcomes, ...report } = JSON.parse(await printed(installed(path), ...args, module)) as Realm;
    const more = await Promise.all(assets.map((asset) => assetOutcome(installed(path), args, asset)));
    return [{ ...report, outcomes: [...outcomes, ...more] }];
  };
}

// Without any permission: the package reads no file and opens no connection.
const denoArgs = ['run', '--no-prompt', '--no-remote', '--no-lock'];

const processes: Readonly<Record<string, Target>> = {
  // Each from npm: the Node of this process may be any.
  ...Object.fromEntries([20, 22, 24, 26].map((major) => [`node${major}`, processTarget(`node${major}/bin/node`)])),
  bun: processTarget('@oven/bun-linux-x64/bin/bun', ['run', '--no-install'], [['fetch', fetched]]),
  deno: processTarget('@deno/linux-x64-glibc/deno', denoArgs, [
    ['import', imported, '--unstable-raw-imports'],
    ['fetch', fetched, '--allow-read'],
  ]),
};

/** Waits until a server says where it listens. What it says later is read too, so that it can go on. */
function addressOf(said: Readable, pattern = /http:\/\/(?:localhost|127\.0\.0\.1):(\d+)/): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    said.on('data', (chunk) => {
      text += chunk;
      const port = pattern.exec(text)?.[1];
      if (port !== undefined) resolve(`http://localhost:${port}`);
    });
    said.once('end', () => reject(new Error(`no server listens: ${text}`)));
  });
}

async function outcomesOf(url: string): Promise<Outcome[]> {
  const response = await fetch(url, { signal: AbortSignal.timeout(300_000) });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return (await response.json()) as Outcome[];
}

/** The globals of Vercel's edge in Node, by Vercel. */
const edge: Target = async () => {
  const entry = pathOf('edge-listener.ts');
  const script = await bundle({ entry, format: 'iife', platform: 'neutral', conditions: ['edge-light'] });
  const { version } = JSON.parse(readFileSync(installed('edge-runtime/package.json'), 'utf8')) as { version: string };
  const args = [installed('edge-runtime/dist/cli/index.js'), '--listen', '--port', '0', script];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    return [{ realm: 'fetch', version, outcomes: await outcomesOf(await addressOf(server.stdout)) }];
  } finally {
    server.kill();
  }
};

const workerdPath = installed('@cloudflare/workerd-linux-64/bin/workerd');

/** Before and since the date from which workerd compiles WebAssembly, but only while it loads a worker. */
const compatibilityDates = ['2025-05-31', '2025-06-01'];

/** Serves a worker and the WebAssembly files in its folder on a free port. */
function configuration(worker: string, compatibilityDate: string): string {
  const files = readdirSync(dirname(worker)).filter((file) => file.endsWith('.wasm'));
  const modules = [
    `(name = "${basename(worker)}", esModule = embed "${basename(worker)}")`,
    ...files.map((file) => `(name = "${file}", wasm = embed "${file}")`),
  ];
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  compatibilityDate = "${compatibilityDate}",
  modules = [${modules.join(', ')}]
);
`;
}

async function runWorker(worker: string, date: string): Promise<readonly Outcome[]> {
  const config = join(dirname(worker), `${date}.capnp`);
  writeFileSync(config, configuration(worker, date));
  const args = ['serve', config, '--control-fd=3'];
  const server = spawn(workerdPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
  try {
    const address = await addressOf(server.stdio[3] as Readable, /"port":(\d+)/);
    return await outcomesOf(`${address}/${date === compatibilityDates[0] ? '?first' : ''}`);
  } finally {
    server.kill();
  }
}

const workerd: Target = async () => {
  const entry = pathOf('worker.ts');
  const worker = await bundle({ entry, format: 'esm', platform: 'neutral', conditions: ['workerd'] });
  const version = (await printed(workerdPath, '--version')).replace('workerd', '').trim();
  const realms: Realm[] = [];
  for (const realm of compatibilityDates) realms.push({ realm, version, outcomes: await runWorker(worker, realm) });
  return realms;
};

const NATIVE = pathOf('../native/');

const versionOf = async (program: string): Promise<string> =>
  /release version: (\S+)/.exec(await printed(program, '--version'))?.[1] ?? '';

/** The bytecode compiler of React Native today, of which npm has no virtual machine, takes the bundle too. */
async function compile(script: string): Promise<Outcome> {
  const name = 'js: Hermes compiles the bundle';
  const compiler = join(NATIVE, 'node_modules/hermes-compiler/hermesc/linux64-bin/hermesc');
  try {
    await printed(compiler, '-w', '-emit-binary', '-out', `${script}.hbc`, script);
    return { name, detail: `version ${await versionOf(compiler)}` };
  } catch (error) {
    return { name, error: String(error) };
  }
}

/** Hermes, the engine of React Native, runs what Metro has bundled from the package as it is installed. */
const hermes: Target = async () => {
  const module = await bundle({ entry: pathOf('native.ts'), format: 'esm', platform: 'neutral', external: true });
  const script = join(dirname(module), `metro-${basename(module)}`);
  await printed(process.execPath, join(NATIVE, 'bundle.js'), project(), module, script);
  const engine = join(NATIVE, 'node_modules/hermes-engine-cli/linux64-bin/hermes');
  const outcomes = JSON.parse(await printed(engine, '-O', script)) as Outcome[];
  const version = await versionOf(engine);
  return [{ realm: 'Metro', version, outcomes: [...outcomes, await compile(script)] }];
};

const NEXT_PROJECT = pathOf('../next/');
const NEXT = join(NEXT_PROJECT, 'node_modules/next');

/** Puts the package, as a project gets it, and the program where Next.js finds them. */
async function prepare(): Promise<void> {
  const entry = pathOf('next-program.ts');
  const program = await bundle({ entry, format: 'esm', platform: 'neutral', external: true });
  copyFileSync(program, join(NEXT_PROJECT, 'program.js'));
  writeFileSync(join(NEXT_PROJECT, 'names.bloom'), BinaryFuseFilter.from(['ada', 'grace']).toBytes());
  const there = join(NEXT_PROJECT, 'node_modules/bloomery');
  rmSync(there, { recursive: true, force: true });
  cpSync(join(project(), 'node_modules/bloomery'), there, { recursive: true });
}

async function shows(name: string, url: string, wanted: string): Promise<Outcome> {
  const text = await (await fetch(url)).text();
  return text.includes(wanted) ? { name } : { name, error: `it shows ${text}` };
}

/** Builds the project with a bundler, and runs the program in an edge route and in middleware of the built server. */
async function realmsOf(bundler: 'webpack' | 'turbopack', version: string): Promise<Realm[]> {
  const bin = join(NEXT, 'dist/bin/next');
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', DIST_DIR: `.next/${bundler}` };
  const options = { cwd: NEXT_PROJECT, env };
  await execute(process.execPath, [bin, 'build', `--${bundler}`], { ...options, timeout: 300_000 });
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

const next: Target = async () => {
  await prepare();
  const { version } = JSON.parse(readFileSync(join(NEXT, 'package.json'), 'utf8')) as { version: string };
  return [...(await realmsOf('webpack', version)), ...(await realmsOf('turbopack', version))];
};

export const targets: Readonly<Record<string, Target>> = { ...processes, workerd, 'edge-runtime': edge, next, hermes };
