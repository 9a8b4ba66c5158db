// Starts four servers that share a filter, asks them all at once, and prints what memory they take.
//
//   npm run example examples/threads/measure.ts [CAPACITY]

import { SharedBloomFilter } from 'bloomery/shared';
import { heading, integer, must, row, size, sizeArgument } from '../report.ts';
import { startServers } from './threads.ts';

const CAPACITY = sizeArgument('names for which there is room', 600_000_000);
const THREADS = 4;
const NAMES = 2000;

const taken = new SharedBloomFilter({ capacity: CAPACITY, errorRate: 0.001, attachments: 1 + THREADS });
// Keys everywhere, so that each page of the memory is really there.
const some = Math.min(CAPACITY / 100, 4_000_000);
taken.addMany(Uint32Array.from({ length: some }, (_, i) => i));
const alone = process.memoryUsage.rss();

const { urls, stop } = await startServers(taken, THREADS);
const ask = async (thread: number, name: string, method = 'GET') => {
  const response = await fetch(`${urls[thread % THREADS]}/${encodeURIComponent(name)}`, { method });
  await response.arrayBuffer();
  return response.status;
};
const names = Array.from({ length: NAMES }, (_, i) => `name ${i}`);

let wasFree = 0;
let missed = 0;
for (let at = 0; at < NAMES; at += 100) {
  const part = names.slice(at, at + 100);
  const statuses = await Promise.all(part.map((name, i) => ask(i, name, 'PUT')));
  wasFree += statuses.filter((status) => status === 201).length;
  // Another thread than the one that has taken the name.
  const found = await Promise.all(part.map((name, i) => ask(i + 1, name)));
  missed += found.filter((status) => status !== 200).length;
}
// Each name is asked for by all threads at the same time, once.
let winners = 0;
for (const name of names.slice(0, 200)) {
  const statuses = await Promise.all(urls.map((_, thread) => ask(thread, `new ${name}`, 'PUT')));
  if (statuses.includes(201)) winners++;
}
const together = process.memoryUsage.rss();
await stop();
// In the places of the threads that were stopped.
const others = await startServers(taken, THREADS);
await others.stop();

console.log(`${THREADS} HTTP servers in threads, one filter of ${size(taken.byteLength)}`);
heading('Answers');
row('names taken', integer(wasFree), `of ${integer(NAMES)}, the others look taken by chance`);
row('taken names that another thread missed', integer(missed));
row('contested names that a thread got', integer(winners), 'of 200, each wanted by all threads at once');
heading('Memory');
row('before the threads start', size(alone));
row(`with ${THREADS} threads`, size(together));
row('if each had a copy', size(together + THREADS * taken.byteLength), 'computed');
must(missed === 0, 'a name that one thread has taken is taken for all');
must(wasFree > 0.99 * NAMES, 'free names can be taken');
