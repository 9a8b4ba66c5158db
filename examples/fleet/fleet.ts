// A crawler in any number of processes, on any number of machines, which together fetch no page twice. They share a
// filter and the URLs that are waiting, in Redis 6.2 or later, single or Cluster.
//
//   const crawl = await join(client, 'crawl', 1_000_000_000);
//   await offer(crawl, ['https://example.org/']);
//   await run(crawl, linksOn, AbortSignal.timeout(3_600_000));

import { adapterOf, RedisBloomFilter, type RedisClient, RedisFilterError } from 'bloomery/redis';

/** How many pages a process fetches at once. */
const CONCURRENCY = 16;
/** How many milliseconds a process waits for URLs before it takes the crawl for finished. */
const PATIENCE = 2000;
/** Milliseconds until it looks again. */
const PAUSE = 50;

export interface Crawl {
  /** All URLs that any process has found. */
  readonly seen: RedisBloomFilter;
  /** Those that are still to be fetched, the oldest first. */
  readonly waiting: Waiting;
}

interface Waiting {
  push(urls: readonly string[]): Promise<unknown>;
  /** Takes at most `count` URLs. No other process gets them. */
  take(count: number): Promise<readonly string[]>;
}

/**
 * Joins a crawl, or begins it.
 *
 * @param client a connected client of `redis`, `ioredis` or `iovalkey`
 * @param capacity how many pages all processes together may find. Past it, more and more are taken for seen.
 */
export async function join(client: RedisClient, name: string, capacity: number): Promise<Crawl> {
  // A false positive is a page that is never fetched: 1 in 1000. If Redis has replicas, add `wait: { replicas: 1,
  // ms: 1000 }`: else a failover may let pages be fetched twice. A `mirror` would save commands, but the process that
  // has found a page would not find it again after a failover that lost it.
  const seen = await RedisBloomFilter.open(client, name, { capacity, errorRate: 0.001 });
  return { seen, waiting: listIn(client, `waiting:${name}`) };
}

/**
 * Lets URLs wait that no process has found before. If it fails, offer them again. Those that Redis had marked as seen,
 * without telling so or without letting them wait, are not fetched then: a page is rather missed than fetched twice.
 */
export async function offer({ seen, waiting }: Crawl, urls: readonly string[]): Promise<void> {
  const push = async (found: readonly string[]): Promise<void> => {
    if (found.length > 0) await waiting.push(found);
  };
  try {
    // Of all processes, exactly one gets a new URL back.
    await push(await seen.dedupe(urls));
  } catch (error) {
    if (!(error instanceof RedisFilterError && error.answers)) throw error;
    // Those that are known to be new will be new to nobody again.
    const { done, flags } = error.answers;
    await push(urls.filter((_, i) => done[i] && flags[i]));
    throw error;
  }
}

/**
 * Fetches pages until none has been waiting for two seconds, or the signal is aborted. If a process dies, or its
 * connection, then no other fetches the pages that it was fetching, at most 16, nor those of their links that it had
 * marked as seen and not yet let wait.
 *
 * @param linksOn fetches a page and returns the URLs of the pages that it links to, each page in one spelling; for a
 *   page that cannot be fetched, none
 */
export async function run(
  crawl: Crawl,
  linksOn: (url: string) => Promise<readonly string[]>,
  signal?: AbortSignal,
): Promise<void> {
  let end = Date.now() + PATIENCE;
  while (Date.now() < end && !signal?.aborted) {
    const urls = await crawl.waiting.take(CONCURRENCY);
    if (urls.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      continue;
    }
    await offer(crawl, (await Promise.all(urls.map(linksOn))).flat());
    end = Date.now() + PATIENCE;
  }
}

/** A list in Redis. An adapter sends commands by any of the clients. */
function listIn(client: RedisClient, key: string): Waiting {
  const adapter = adapterOf(client);
  const send = (name: string, ...args: readonly string[]): Promise<unknown> =>
    adapter.send(key, [name, key, ...args], { readOnly: false, binary: false });
  return {
    push: (urls) => send('rpush', ...urls),
    take: async (count) => ((await send('lpop', String(count))) ?? []) as string[],
  };
}
