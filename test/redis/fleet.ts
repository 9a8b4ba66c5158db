// Several clients that add overlapping keys to one filter of a cluster at the same time.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { RedisBloomFilter, RedisFilterError, type WaitOptions } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { randomFrom } from '../shared/random.ts';
import { connect, type Library } from './clients.ts';
import type { Cluster } from './servers.ts';

/** Of these, each client adds six of ten. The filter is so large that none of them is a false positive. */
const ALL = Array.from({ length: 4000 }, (_, i) => `key ${i}`);
const CAPACITY = 50_000;

/** Lets clients work for about a second and a half, once all of them have opened the filter. */
export async function startFleet(libraries: readonly Library[], cluster: Cluster, name: string, wait?: WaitOptions) {
  const clients = await Promise.all(libraries.map((library) => connect(library, cluster.ports, { cluster: true })));
  const options = { capacity: CAPACITY, wait };
  const filters = await Promise.all(clients.map(({ client }) => RedisBloomFilter.open(client, name, options)));
  /** For each key that was added, to how many clients it was new, and how many sent it again, not knowing. */
  const added = new Map<string, { news: number; again: number }>();
  const errors = new Set<string>();

  /** Adds keys. Returns those that may not have been added. */
  async function add(filter: RedisBloomFilter, keys: readonly string[], isAgain: boolean): Promise<string[]> {
    const flags = new Uint8Array(keys.length);
    let done = flags.slice().fill(1);
    try {
      await filter.addMany(keys, flags);
    } catch (error) {
      if (!(error instanceof RedisFilterError && error.answers)) throw error;
      errors.add(error.code);
      flags.set(error.answers.flags);
      done = error.answers.confirmed ?? error.answers.done;
      await sleep(50);
    }
    for (const [i, key] of keys.entries()) {
      const { news, again } = added.get(key) ?? { news: 0, again: 0 };
      if (done[i] === 1) added.set(key, { news: news + (flags[i] ?? 0), again: again + Number(isAgain) });
    }
    return keys.filter((_, i) => done[i] !== 1);
  }

  const works = filters.map(async (filter, seed) => {
    const random = randomFrom(seed);
    const some = ALL.filter(() => random(10) < 6);
    const first = random(some.length);
    const own = [...some.slice(first), ...some.slice(0, first)];
    for (let at = 0, count = 0; at < own.length; at += count) {
      count = 1 + random(600);
      let left = await add(filter, own.slice(at, at + count), false);
      while (left.length > 0) left = await add(filter, left, true);
      await sleep((1500 * count) / own.length);
    }
  });
  let isDone = false;
  const done = Promise.all(works).finally(() => {
    isDone = true;
    for (const { close } of clients) close();
  });

  /** Throws unless a filter has exactly the bits of the keys that were added, and each was new to one client. */
  async function expectExact(shared: RedisBloomFilter): Promise<void> {
    await done;
    expect(added.size / ALL.length).toBeCloseTo(1 - 0.4 ** libraries.length, 1);
    const local = BlockedBloomFilter.from([...added.keys()], { capacity: CAPACITY });
    expect((await shared.toLocal()).toBytes()).toEqual(local.toBytes());
    const wrong = [...added].filter(([, { news, again }]) => news > 1 || (news === 0 && again === 0));
    expect(wrong).toEqual([]);
    // Calls may have been interrupted, but most keys were told at once.
    expect([...added.values()].filter(({ again }) => again > 0).length).toBeLessThan(ALL.length / 2);
  }
  return { isDone: () => isDone, errors, expectExact };
}
