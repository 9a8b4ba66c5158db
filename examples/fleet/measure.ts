// Crawls a site on this machine with four processes and a cluster of three Redis servers, which it starts, and counts
// what was fetched, twice or never. Needs redis-server.
//
//   npm run example examples/fleet/measure.ts [PAGES]

import { fork } from 'node:child_process';
import { join } from 'node:path';
import { RedisBloomFilter } from 'bloomery/redis';
import { connect } from '../../test/redis/clients.ts';
import { Cluster } from '../../test/redis/servers.ts';
import { openSite } from '../crawler/site.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import type { Done, Work } from './process.ts';

const PAGES = sizeArgument('pages', 10_000);
const PROCESSES = 4;

function runProcess(work: Work): Promise<Done> {
  const child = fork(join(import.meta.dirname, 'process.ts'), [JSON.stringify(work)]);
  return new Promise((resolve, reject) => {
    child.once('message', (done) => resolve(done as Done));
    child.once('exit', (code) => reject(new Error(`a process ended with ${code}`)));
  });
}

/** What is the sum of some numbers, and what they are. */
function sumOf(numbers: readonly number[]): [sum: string, each: string] {
  return [integer(numbers.reduce((sum, each) => sum + each, 0)), numbers.map(integer).join(' + ')];
}

const site = await openSite(PAGES);
const cluster = await Cluster.start(3);
try {
  const { ports } = cluster;
  const work = { ports, address: site.address, start: site.start, pages: PAGES };
  const done = await Promise.all(Array.from({ length: PROCESSES }, () => runProcess(work)));

  const calls = await Promise.all(cluster.masters.map((master) => master.callsOf('evalsha')));
  const { client, close } = await connect('redis', ports, { cluster: true });
  const seen = await RedisBloomFilter.open(client, 'crawl');
  const urls = Array.from(site.requests, (_, page) => site.urlOf(page));
  const fetched = urls.filter((_, page) => site.requests[page] !== 0);
  const local = await seen.toLocal();
  close();

  console.log(`A crawl of ${integer(PAGES)} pages by ${PROCESSES} processes, with ${ports.length} Redis servers`);
  heading('Crawled');
  row('pages fetched', ...sumOf(done.map(({ fetched }) => fetched)));
  row('links on them', ...sumOf(done.map(({ links }) => links)));
  const twice = site.requests.filter((count) => count > 1).length;
  row('pages fetched twice', integer(twice), `the site counts ${Math.max(...site.requests)} request a page at most`);
  const promised = `promised: about ${integer(PAGES * seen.errorRate)} or fewer, ${percent(seen.errorRate)}`;
  row('pages missed', integer(PAGES - fetched.length), promised);
  heading('Redis');
  row('the filter', size(seen.byteLength));
  row('scripts run, on each server', ...sumOf(calls));
  row('pages in a local copy of the filter', integer(local.pick(fetched).length));
  must(twice === 0, 'no page is fetched twice');
  must(local.omit(fetched).length === 0, 'the copy has all pages that were fetched');
} finally {
  cluster.stop();
  site.close();
}
