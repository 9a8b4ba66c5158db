// Clients that add names to a filter behind HTTP, and ask for them.
//
//   npm run example examples/service/measure.ts [NAMES]

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { BlockedBloomFilter } from 'bloomery';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { serve } from './service.ts';

const NAMES = sizeArgument('names', 1_000_000);
const NAMES_PER_REQUEST = 10_000;

const filter = new BlockedBloomFilter({ capacity: NAMES });
const server = serve(filter).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Sends names in many requests, one after the other. Returns what was answered, and the seconds. */
async function send(method: string, prefix: string): Promise<{ readonly lines: string[]; readonly seconds: number }> {
  const start = performance.now();
  const lines: string[] = [];
  for (let from = 0; from < NAMES; from += NAMES_PER_REQUEST) {
    const length = Math.min(NAMES_PER_REQUEST, NAMES - from);
    const body = Array.from({ length }, (_, i) => `${prefix} ${from + i}\n`).join('');
    const response = await fetch(url, { method, body });
    if (!response.ok) throw new Error(`${method} was answered with ${response.status}`);
    const text = await response.text();
    if (text !== '') lines.push(...text.trimEnd().split('\n'));
  }
  return { lines, seconds: (performance.now() - start) / 1000 };
}

const added = await send('PUT', 'name');
const present = await send('POST', 'name');
const absent = await send('POST', 'other');
const { status } = await fetch(url);
server.close();

const rate = (seconds: number): string => `${integer(Math.round(NAMES / seconds))} names/s`;
console.log(`${integer(NAMES)} names, ${integer(NAMES_PER_REQUEST)} in each request`);
heading('One client');
row('added', integer(NAMES), rate(added.seconds));
row('found again', integer(present.lines.length), rate(present.seconds));
row('others that look present', integer(absent.lines.length), percent(absent.lines.length / NAMES));
heading('Memory');
row('the filter', size(filter.byteLength));
must(present.lines.length === NAMES, 'every name that was added is found');
must(status === 405, 'other methods are refused');
