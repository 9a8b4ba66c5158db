import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { SharedBlockedBloomFilter, SharedBloomFilter } from '../../src/entries/shared.ts';
import { BlockedBloomFilter, BloomFilter } from '../../src/index.ts';
import { integersFrom } from '../shared/integers.ts';

const kinds = [
  { name: 'classic', Shared: SharedBloomFilter, Plain: BloomFilter },
  { name: 'blocked', Shared: SharedBlockedBloomFilter, Plain: BlockedBloomFilter },
] as const;

/** How many filters threads add the same keys to: that they meet in a word is a matter of chance. */
const ROUNDS = 20;
/** So few keys that threads meet often. */
const KEYS = 200_000;

/** Lets a thread add the integers of a range to one filter after the other, and returns how many it was told were new. */
async function freshOf(workerData: { readonly from: number; readonly to: number }): Promise<number> {
  const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData });
  const [fresh] = await once(worker, 'message');
  await worker.terminate();
  return fresh;
}

describe.each(kinds)('a filter that threads share: $name', (kind) => {
  const Shared = kind.Shared as typeof SharedBloomFilter;
  const Plain = kind.Plain as object as typeof BloomFilter;

  it('gets overlapping keys from four threads without losing a bit, round after round', async () => {
    const options = { capacity: KEYS, errorRate: 0.01 };
    const plain = new Plain(options);
    const different = plain.dedupe(integersFrom(0, KEYS)).length;
    const filters = Array.from({ length: ROUNDS }, () => new Shared({ ...options, attachments: 5 }));
    const arrived = new Int32Array(new SharedArrayBuffer(4));
    const task = { handles: filters.map(({ handle }) => handle), threads: 4, arrived };
    // Each key comes from two or three threads.
    const ranges = [0, 1, 2, 3].map((i) => ({ from: (i * KEYS) / 8, to: ((i + 5) * KEYS) / 8 }));
    const counts = await Promise.all(ranges.map((range) => freshOf({ ...task, ...range })));
    for (const [round, filter] of filters.entries()) {
      expect(filter.toFilter().equals(plain), `round ${round}`).toBe(true);
      filter.dispose();
    }
    // At least one thread was told that a key is new. The order of keys changes few answers by chance.
    const fresh = counts.reduce((sum, count) => sum + count, 0) / ROUNDS;
    expect(fresh).toBeGreaterThan(0.98 * different);
  });
});
