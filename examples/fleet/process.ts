// One of the processes that `measure.ts` starts.

import { connect } from '../../test/redis/clients.ts';
import { pagesOf } from '../crawler/crawler.ts';
import { fetchPage, linksIn } from '../crawler/site.ts';
import { join, offer, run } from './fleet.ts';

export interface Work {
  /** The ports of the Redis servers. */
  readonly ports: readonly number[];
  /** Where the site is on this machine. */
  readonly address: string;
  readonly start: string;
  readonly pages: number;
}

export interface Done {
  /** How many pages this process has fetched. */
  readonly fetched: number;
  /** How many links were on them. */
  readonly links: number;
}

const [, , work = ''] = process.argv;
const { ports, address, start, pages }: Work = JSON.parse(work);
const { client, close } = await connect('redis', ports, { cluster: true });
const crawl = await join(client, 'crawl', pages);
const done = { fetched: 0, links: 0 };

// All processes offer the first page, and one of them fetches it.
await offer(crawl, [start]);
await run(crawl, async (url) => {
  const links = pagesOf(linksIn(await fetchPage(address, url), url));
  done.fetched++;
  done.links += links.length;
  return links;
});
close();
process.send?.(done);
