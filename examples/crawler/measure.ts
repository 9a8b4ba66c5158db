// Crawls a site on this machine, stops halfway, saves, resumes, and counts what was fetched, twice or never.
//
//   npm run example examples/crawler/measure.ts [PAGES]

import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { heapOf } from '../../bench/shared/machine.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { resume, run, save, start } from './crawler.ts';
import { fetchPage, linksIn, openSite } from './site.ts';

const PAGES = sizeArgument('pages', 20_000);
const counts = { fetched: 0, links: 0 };
const stop = new AbortController();

async function linksOn(url: string): Promise<string[]> {
  const links = linksIn(await fetchPage(site.address, url), url);
  counts.fetched++;
  counts.links += links.length;
  if (counts.fetched >= PAGES / 2) stop.abort();
  return links;
}

const site = await openSite(PAGES);
const folder = await mkdtemp(join(tmpdir(), 'crawler-'));
try {
  const first = start(site.start, PAGES);
  await run(first, linksOn, stop.signal);
  await save(first, folder);
  const stoppedAt = counts.fetched;
  const second = await resume(folder);
  if (second === undefined) throw new Error('nothing was saved');
  const wasWaiting = second.waiting.length;
  await run(second, linksOn);

  const filters = (await readdir(folder)).filter((name) => name.endsWith('.bloom'));
  const saved = await Promise.all(filters.map((name) => stat(join(folder, name))));
  const mostRequests = Math.max(...site.requests);
  const missed = site.requests.filter((count) => count === 0).length;
  const { seen } = second;
  const urls = JSON.stringify(Array.from(site.requests, (_, page) => site.urlOf(page)));

  console.log(`A crawl of ${integer(PAGES)} pages`);
  heading('Crawled');
  row('pages fetched', integer(counts.fetched));
  row('links on them', integer(counts.links));
  row('  of which led to a page seen before', integer(counts.links - (counts.fetched - 1)));
  const twice = site.requests.filter((count) => count > 1).length;
  row('pages fetched twice', integer(twice), `the server counts ${mostRequests} request a page at most`);
  const promised = `promised: about ${integer(PAGES * seen.errorRate)} or fewer, ${percent(seen.errorRate)}`;
  row('pages missed', integer(missed), promised);
  heading('Memory');
  row('the filter', size(seen.byteLength));
  row('a Set of the same URLs', size(heapOf(() => new Set(JSON.parse(urls)))));
  heading('Stopped and resumed');
  row('stopped after', integer(stoppedAt), 'pages');
  row('saved: the filter', size(saved.reduce((sum, file) => sum + file.size, 0)));
  row('saved: waiting URLs', integer(wasWaiting));
  must(twice === 0, 'no page is fetched twice');
} finally {
  site.close();
  await rm(folder, { recursive: true });
}
