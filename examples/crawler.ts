// A crawler that never fetches a URL twice. A filter holds what it has seen, in a few bytes per URL, and is saved on
// the way, so that a later run resumes where this one stopped.
//
//   npm run example examples/crawler.ts [PAGES]

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BloomFilter } from 'bloomery';
import { heapOf } from '../bench/heap.ts';
import { heading, integer, must, percent, row, size, sizeArgument } from './report.ts';
import { openSite } from './site.ts';

const PAGES = sizeArgument('pages', 20_000);
/** A false positive is a page that is never fetched. */
const ERROR_RATE = 0.001;
const CONCURRENCY = 16;

/** The state of a crawl: all that it needs to resume. */
interface Crawl {
  readonly seen: BloomFilter;
  /** URLs found and not yet fetched, the oldest first. */
  readonly waiting: string[];
}

/** All URLs, to count errors with. A real crawler does without this Set: the filter replaces it. */
const exact = new Set<string>();
const counts = { fetched: 0, links: 0, fresh: 0, again: 0 };

/** Gives each page one spelling. A filter takes keys as they are, so two spellings would be two pages. */
function normalize(href: string, base: string): string {
  const url = new URL(href, base);
  url.hash = '';
  for (const name of [...url.searchParams.keys()]) if (name.startsWith('utm_')) url.searchParams.delete(name);
  return url.href;
}

async function linksOn(url: string): Promise<string[]> {
  const response = await site.fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => normalize(href, url));
}

function compareWithSet(links: readonly string[], fresh: readonly string[]): void {
  counts.links += links.length;
  counts.fresh += fresh.length;
  counts.again += fresh.filter((url) => exact.has(url)).length;
  for (const url of links) exact.add(url);
}

/** Crawls breadth first, a few pages at once, until `limit` pages are fetched or none is left. */
async function crawl({ seen, waiting }: Crawl, limit: number): Promise<void> {
  while (waiting.length > 0 && counts.fetched < limit) {
    const urls = waiting.splice(0, CONCURRENCY);
    const links = (await Promise.all(urls.map(linksOn))).flat();
    counts.fetched += urls.length;
    // Adds all links, and returns those that were absent before: neither fetched nor waiting.
    const fresh = seen.dedupe(links);
    waiting.push(...fresh);
    compareWithSet(links, fresh);
  }
}

async function save({ seen, waiting }: Crawl, folder: string): Promise<void> {
  await pipeline(Readable.from(seen.toChunks()), createWriteStream(join(folder, 'seen.bloom')));
  await writeFile(join(folder, 'waiting.json'), JSON.stringify(waiting));
}

async function resume(folder: string): Promise<Crawl> {
  const seen = await BloomFilter.fromChunks(createReadStream(join(folder, 'seen.bloom')));
  return { seen, waiting: JSON.parse(await readFile(join(folder, 'waiting.json'), 'utf8')) };
}

const site = await openSite(PAGES);
const folder = await mkdtemp(join(tmpdir(), 'crawler-'));
try {
  const first: Crawl = { seen: new BloomFilter({ capacity: PAGES, errorRate: ERROR_RATE }), waiting: [site.start] };
  first.seen.add(site.start);
  exact.add(site.start);
  await crawl(first, PAGES / 2);
  await save(first, folder);
  const stoppedAt = counts.fetched;
  const second = await resume(folder);
  const wasWaiting = second.waiting.length;
  await crawl(second, Number.POSITIVE_INFINITY);

  const missed = PAGES - counts.fetched;
  const mostRequests = Math.max(...site.requests);
  const urls = JSON.stringify([...exact]);
  console.log(`A crawl of ${integer(PAGES)} pages`);
  heading('Crawled');
  row('pages fetched', integer(counts.fetched));
  row('links on them', integer(counts.links));
  row('  of which led to a page seen before', integer(counts.links - counts.fresh));
  row('pages fetched twice', integer(counts.again), `the server counts ${mostRequests} request a page at most`);
  row(
    'pages missed',
    integer(missed),
    `promised: about ${integer(PAGES * ERROR_RATE)} or fewer, ${percent(ERROR_RATE)}`,
  );
  heading('Memory');
  row('the filter', size(second.seen.byteLength));
  row('a Set of the same URLs', size(heapOf(() => new Set(JSON.parse(urls)))));
  heading('Stopped and resumed');
  row('stopped after', integer(stoppedAt), 'pages');
  row('saved: the filter', size((await stat(join(folder, 'seen.bloom'))).size));
  row('saved: waiting URLs', integer(wasWaiting));
  must(counts.again === 0 && mostRequests === 1, 'no page is fetched twice');
} finally {
  site.close();
  await rm(folder, { recursive: true });
}
