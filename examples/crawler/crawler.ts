// A crawler that fetches no page twice, in a few bytes a page, and goes on after a restart where it stopped.
//
//   const crawl = (await resume('state')) ?? start('https://example.org/', 1_000_000);
//   await run(crawl, linksOn, AbortSignal.timeout(3_600_000));
//   await save(crawl, 'state');

import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BloomFilter } from 'bloomery';
import { saveFile } from 'bloomery/file';

/** How many pages are fetched at once. */
const CONCURRENCY = 16;

export interface Crawl {
  /** All URLs found so far, including those that are waiting. */
  readonly seen: BloomFilter;
  /** URLs that are still to be fetched, the oldest first. */
  readonly waiting: string[];
}

/**
 * @param capacity how many pages the crawl may find. Beyond it, more and more new pages look as if they had been seen.
 */
export function start(url: string, capacity: number): Crawl {
  // A false positive is a page that is never fetched: 1 in 1000.
  const crawl = { seen: new BloomFilter({ capacity, errorRate: 0.001 }), waiting: [normalize(url)] };
  crawl.seen.addMany(crawl.waiting);
  return crawl;
}

/**
 * Fetches pages, breadth first, until none is waiting or the signal is aborted.
 *
 * @param linksOn fetches a page and returns the absolute URLs that it links to, of any kind; for a page that cannot be
 *   fetched, none
 */
export async function run(
  { seen, waiting }: Crawl,
  linksOn: (url: string) => Promise<readonly string[]>,
  signal?: AbortSignal,
): Promise<void> {
  while (waiting.length > 0 && !signal?.aborted) {
    const urls = waiting.slice(0, CONCURRENCY);
    const links = (await Promise.all(urls.map(linksOn))).flat();
    // Adds all links to the filter, and returns those that are new.
    const found = seen.dedupe(pagesOf(links));
    waiting.splice(0, urls.length);
    for (const url of found) waiting.push(url);
  }
}

/** Those of some links that lead to pages, each page in one spelling. */
export function pagesOf(links: readonly string[]): string[] {
  return links.filter(isPage).map(normalize);
}

/** Whether a link leads to a page: not to a mail address, and not to anything that is no URL. */
function isPage(link: string): boolean {
  return URL.canParse(link) && /^https?:$/.test(new URL(link).protocol);
}

/** Gives each page one spelling: a filter takes keys as they are, so two spellings would be two pages. */
function normalize(link: string): string {
  const url = new URL(link);
  url.hash = '';
  // Not by `searchParams`, which also spells what it keeps anew. Setting an empty query removes the '?' too.
  const parameters = url.search.slice(1).split('&');
  url.search = parameters.filter((each) => !each.startsWith('utm_')).join('&');
  return url.href;
}

/** Saves a crawl that is not running. If this is interrupted, the state saved before is still there. */
export async function save({ seen, waiting }: Crawl, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const filter = `${crypto.randomUUID()}.bloom`;
  await saveFile(seen, join(folder, filter));
  // The filter and the waiting URLs belong together, so one rename replaces both.
  await writeFile(join(folder, 'crawl.new'), JSON.stringify({ filter, waiting }), { flush: true });
  await rename(join(folder, 'crawl.new'), join(folder, 'crawl.json'));
  const old = (await readdir(folder)).filter((name) => name.endsWith('.bloom') && name !== filter);
  for (const name of old) await rm(join(folder, name));
}

/** The crawl saved in a folder; undefined if none is. */
export async function resume(folder: string): Promise<Crawl | undefined> {
  const text = await readFile(join(folder, 'crawl.json'), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const { filter, waiting }: { filter: string; waiting: string[] } = JSON.parse(text);
  return { seen: await BloomFilter.fromChunks(createReadStream(join(folder, filter))), waiting };
}
