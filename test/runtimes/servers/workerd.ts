import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { bundle } from '../bundle.ts';
import type { Outcome } from '../checks/check.ts';
import type { Realm, Target } from '../expected.ts';
import { addressOf, outcomesOf } from './edge-runtime.ts';
import { installed, printed } from './process.ts';

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

async function runWorker(worker: string, date: string): Promise<readonly Outcome[]> {
  const config = join(dirname(worker), `${date}.capnp`);
  writeFileSync(config, configuration(worker, date));
  const server = spawn(path, ['serve', config, '--control-fd=3'], { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
  try {
    const address = await addressOf(server.stdio[3] as Readable, /"port":(\d+)/);
    return await outcomesOf(`${address}/${date === compatibilityDates[0] ? '?first' : ''}`);
  } finally {
    server.kill();
  }
}

export const workerd: Target = async () => {
  const entry = fileURLToPath(new URL('worker.ts', import.meta.url));
  const worker = await bundle({ entry, format: 'esm', platform: 'neutral', conditions: ['workerd'] });
  const version = (await printed(path, '--version')).replace('workerd', '').trim();
  const realms: Realm[] = [];
  for (const realm of compatibilityDates) realms.push({ realm, version, outcomes: await runWorker(worker, realm) });
  return realms;
};
