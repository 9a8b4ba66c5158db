// Several clients that add overlapping keys to one filter of a cluster at the same time, and what must hold of their
// answers.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { RedisBloomFilter, RedisFilterError, type WaitOptions } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { blockedBitsOf, bytesOf, murmur3 } from '../shared/oracle.ts';
import { randomFrom } from '../shared/random.ts';
import { connect, type Library } from './clients.ts';

export interface Work {
  readonly libraries: readonly Library[];
  readonly ports: readonly number[];
  readonly name: string;
  readonly wait?: WaitOptions;
  /** The least time over which to spread the work, in milliseconds. */
  readonly duration: number;
}

/** The number of different keys, of which each client chooses six of ten. */
const UNIVERSE = 4000;
const ALL = Array.from({ length: UNIVERSE }, (_, i) => `key ${i}`);

/** What all clients together know of each key that was added. */
export class Summary {
  /** For each key, how many clients added it, to how many it was new, and how many sent it again, not knowing. */
  readonly added = new Map<string, { news: number; again: number }>();
  /** The codes of all errors. */
  readonly errors = new Set<string>();

  note(key: string, isNew: boolean, isAgain: boolean): void {
    const known = this.added.get(key) ?? { news: 0, again: 0 };
    this.added.set(key, { news: known.news + Number(isNew), again: known.again + Number(isAgain) });
  }
}

async function work(filter: RedisBloomFilter, seed: number, duration: number, summary: Summary): Promise<void> {
  const random = randomFrom(seed);
  const ranked = ALL.filter(() => random(10) < 6).map((key) => [random(2 ** 30), key] as const);
  const own = ranked.toSorted(([one], [other]) => one - other).map(([, key]) => key);
  const again = new Set<string>();
  const start = Date.now();
  for (let at = 0; at < own.length; ) {
    let left = own.slice(at, at + 1 + random(600));
    at += left.length;
    while (left.length > 0) {
      const flags = new Uint8Array(left.length);
      let done: Uint8Array | undefined;
      try {
        await filter.addMany(left, flags);
      } catch (error) {
        if (!(error instanceof RedisFilterError && error.answers)) throw error;
        summary.errors.add(error.code);
        flags.set(error.answers.flags);
        done = error.answers.confirmed ?? error.answers.done;
        await sleep(50);
      }
      const isDone = (i: number): boolean => done === undefined || done[i] === 1;
      for (const [i, key] of left.entries()) if (isDone(i)) summary.note(key, flags[i] === 1, again.has(key));
      left = left.filter((_, i) => !isDone(i));
      for (const key of left) again.add(key);
    }
    await sleep(Math.max(1, (duration * at) / own.length - (Date.now() - start)));
  }
}

/** Lets clients work, once all of them have opened the filter. */
export async function startFleet({ libraries, ports, name, wait, duration }: Work) {
  const clients = await Promise.all(libraries.map((library) => connect(library, ports, { cluster: true })));
  const options = { capacity: 50_000, wait };
  const filters = await Promise.all(clients.map(({ client }) => RedisBloomFilter.open(client, name, options)));
  const summary = new Summary();
  let isDone = false;
  const works = filters.map((filter, seed) => work(filter, seed, duration, summary));
  const done = Promise.all(works).finally(() => {
    isDone = true;
    for (const { close } of clients) close();
  });
  return { isDone: () => isDone, summary: done.then(() => summary) };
}

/** Throws unless a filter has exactly the bits of the keys that were added, and none was new to two clients. */
export async function expectExact(shared: RedisBloomFilter, { added }: Summary, clients: number): Promise<void> {
  expect(added.size / UNIVERSE).toBeCloseTo(1 - 0.4 ** clients, 1);
  const keys = [...added.keys()];
  const local = BlockedBloomFilter.from(keys, { capacity: shared.capacity });
  expect((await shared.toLocal()).toBytes()).toEqual(local.toBytes());
  const known = [...added.values()];
  expect(known.filter(({ news }) => news > 1)).toEqual([]);
  // Calls may have been interrupted, but most keys were told at once.
  expect(known.filter(({ again }) => again > 0).length).toBeLessThan(UNIVERSE / 2);
  // What was new to nobody is a false positive: other keys have set all of its bits.
  const counts = new Uint16Array(local.bits);
  const bitsOf = (key: string): number[] => blockedBitsOf(murmur3(bytesOf(key), local.seed)[0], local.bits / 256);
  for (const key of keys) for (const bit of bitsOf(key)) counts[bit] = (counts[bit] ?? 0) + 1;
  const neverNew = keys.filter((key) => added.get(key)?.news === 0 && added.get(key)?.again === 0);
  expect(neverNew.filter((key) => bitsOf(key).some((bit) => counts[bit] === 1))).toEqual([]);
}
