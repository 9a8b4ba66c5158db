// Runs the Worker in workerd, in front of a KV namespace that counts reads, and asks it for pages, most of which do not
// exist.
//
//   npm run example examples/known-paths/measure.ts [PAGES]

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { installed } from '../../test/runtimes/servers/targets.ts';
import { seededRandom } from '../names.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { FILTER, pack } from './known-paths.ts';

const PAGES = sizeArgument('pages', 20_000);
const REQUESTS = 10_000;
/** Crawlers and scanners ask for much that does not exist. */
const KNOWN_SHARE = 0.2;
const CONCURRENCY = 16;

const pathOf = (i: number): string => `/articles/${i}.html`;
const pages = new Map<string, Uint8Array | string>(Array.from({ length: PAGES }, (_, i) => [pathOf(i), `<p>${i}`]));
const filter = pack(pages.keys());
pages.set(FILTER, filter);

let reads = 0;
/** What a KV namespace is to workerd: a server with a path for each key. */
const kv = createServer((request, response) => {
  reads++;
  const [path = ''] = (request.url ?? '').slice(1).split('?');
  const value = pages.get(decodeURIComponent(path));
  response.statusCode = value === undefined ? 404 : 200;
  response.end(value);
});
await new Promise<void>((resolve) => kv.listen(0, '127.0.0.1', resolve));

const folder = mkdtempSync(join(tmpdir(), 'known-paths-'));
await build({
  entryPoints: [join(import.meta.dirname, 'worker.ts')],
  bundle: true,
  format: 'esm',
  conditions: ['workerd'],
  loader: { '.wasm': 'copy' },
  outdir: folder,
});
const modules = readdirSync(folder).map((file) =>
  file.endsWith('.wasm')
    ? `(name = "${file}", wasm = embed "${file}")`
    : `(name = "${file}", esModule = embed "${file}")`,
);
// The first module is the one that runs.
modules.sort((one, other) => Number(one.includes('wasm =')) - Number(other.includes('wasm =')));
writeFileSync(
  join(folder, 'config.capnp'),
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "kv", external = (address = "127.0.0.1:${(kv.address() as AddressInfo).port}", http = ())),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  modules = [${modules.join(', ')}],
  bindings = [(name = "PAGES", kvNamespace = "kv")],
);
`,
);

const path = installed('@cloudflare/workerd-linux-64/bin/workerd');
const server = spawn(path, ['serve', join(folder, 'config.capnp'), '--control-fd=3'], {
  stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
});

async function listening(control: Readable): Promise<string> {
  let said = '';
  for await (const chunk of control) {
    said += chunk;
    const port = /"port":(\d+)/.exec(said)?.[1];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  throw new Error('workerd ended before it listened');
}

try {
  const address = await listening(server.stdio[3] as Readable);
  const random = seededRandom(1970);
  const paths = Array.from({ length: REQUESTS }, (_, i) =>
    random() < KNOWN_SHARE ? pathOf(Math.floor(random() * PAGES)) : `/wp-admin/${i}.php`,
  );
  let found = 0;
  let wrong = 0;
  // The first request loads the filter. Meanwhile, KV answers others.
  await (await fetch(`${address}/wp-admin/`)).arrayBuffer();
  const begin = performance.now();
  const ask = async (): Promise<void> => {
    for (let next = paths.pop(); next !== undefined; next = paths.pop()) {
      const response = await fetch(address + next);
      const text = await response.text();
      if (response.ok) found++;
      if (text !== (pages.get(next) ?? 'Not found\n')) wrong++;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, ask));
  const each = (performance.now() - begin) / REQUESTS;

  const others = REQUESTS - found;
  const inVain = reads - found - 1;
  console.log(`A Worker in front of ${integer(PAGES)} pages in KV, ${integer(REQUESTS)} requests`);
  heading('Asked');
  row('pages found', integer(found));
  row('paths that do not exist', integer(others));
  row('wrong answers', integer(wrong));
  heading('KV');
  row('the filter', size(filter.length), 'read once for each isolate and minute');
  row('reads', integer(reads), `${integer(REQUESTS)} without the filter`);
  row('reads saved', integer(REQUESTS - reads));
  row('reads in vain', integer(inVain), `${percent(inVain / others)} of the paths that do not exist, promised: 0.1 %`);
  row('milliseconds a request', each.toFixed(2));
  must(wrong === 0, 'every request is answered as without the filter');
} finally {
  server.kill();
  kv.close();
  rmSync(folder, { recursive: true });
}
