import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { bundle } from '../bundle.ts';
import type { Outcome } from '../checks/check.ts';
import type { Realm, Target } from '../target.ts';
import { installed } from './process.ts';

/** What the program reports from inside a request handler. */
export interface WorkerReport {
  readonly agent: string;
  readonly outcomes: readonly Outcome[];
}

const TIMEOUT_MS = 300_000;

const path = installed('@cloudflare/workerd-linux-64/bin/workerd');

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

/** Waits until workerd says on which port it listens. */
async function portOf(control: Readable): Promise<number> {
  let said = '';
  for await (const chunk of control) {
    said += chunk;
    const port = /"port":(\d+)/.exec(said)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('workerd ended before it listened');
}

async function runWorker(worker: string, compatibilityDate: string): Promise<readonly Outcome[]> {
  const config = join(dirname(worker), `${compatibilityDate}.capnp`);
  writeFileSync(config, configuration(worker, compatibilityDate));
  const server = spawn(path, ['serve', config, '--control-fd=3'], { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
  try {
    const port = await portOf(server.stdio[3] as Readable);
    const response = await fetch(
      `http://127.0.0.1:${port}/${compatibilityDate === compatibilityDates[0] ? '?first' : ''}`,
      { signal: AbortSignal.timeout(TIMEOUT_MS) },
    );
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    const { agent, outcomes } = (await response.json()) as WorkerReport;
    if (agent !== 'Cloudflare-Workers') throw new Error(`not workerd: ${agent}`);
    return outcomes;
  } finally {
    server.kill();
  }
}

export const workerd: Target = {
  name: 'workerd',
  async run() {
    const entry = fileURLToPath(new URL('worker.ts', import.meta.url));
    const worker = await bundle({ entry, format: 'esm', platform: 'neutral', conditions: ['workerd'] });
    const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).replace('workerd', '').trim();
    const realms: Realm[] = [];
    for (const realm of compatibilityDates) {
      realms.push({ runtime: 'workerd', version, realm, outcomes: await runWorker(worker, realm) });
    }
    return realms;
  },
};
