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

interface Message {
  readonly attachment?: number;
  readonly acknowledged?: number;
  readonly fresh?: number;
}

/** Starts threads that add integers, each as many from its own start on. */
function startWorkers(handles: readonly object[], starts: readonly number[], count: number, isEndless = false) {
  const arrived = new Int32Array(new SharedArrayBuffer(4));
  const task = { handles, threads: starts.length, arrived, isEndless };
  const file = new URL('worker.mjs', import.meta.url);
  return starts.map((from) => new Worker(file, { workerData: { ...task, from, to: from + count } }));
}

/** How many keys a worker was told were new. */
async function freshOf(worker: Worker): Promise<number> {
  let fresh = Number.NaN;
  worker.on('message', (message: Message) => (fresh = message.fresh ?? fresh));
  await once(worker, 'exit');
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
    // Each key comes from two or three threads.
    const starts = [0, 1, 2, 3].map((i) => (i * KEYS) / 8);
    const handles = filters.map(({ handle }) => handle);
    const counts = await Promise.all(startWorkers(handles, starts, (5 * KEYS) / 8).map(freshOf));
    for (const [round, filter] of filters.entries()) {
      expect(filter.toFilter().equals(plain), `round ${round}`).toBe(true);
      filter.dispose();
    }
    // At least one thread was told that a key is new. The order of keys changes few answers by chance.
    const fresh = counts.reduce((sum, count) => sum + count, 0) / ROUNDS;
    expect(fresh).toBeGreaterThan(0.98 * different);
  });

  it('keeps what was acknowledged when a thread is terminated, and its place can be used again', async () => {
    const shared = new Shared({ capacity: 1_000_000, attachments: 2 });
    for (const start of [0, 300_000, 600_000]) {
      const [worker] = startWorkers([shared.handle], [start], 300_000, true) as [Worker];
      let attachment = -1;
      const acknowledged = await new Promise<number>((resolve) => {
        worker.on('message', (message: Message) => {
          attachment = message.attachment ?? attachment;
          if (message.acknowledged !== undefined && message.acknowledged > start / 10) resolve(message.acknowledged);
        });
      });
      await worker.terminate();
      expect(() => Shared.attach(shared.handle)).toThrow('all 2 attachments of the filter are in use');
      shared.release(attachment);
      expect(shared.pick(integersFrom(start, acknowledged))).toHaveLength(acknowledged);
      const again = Shared.attach(shared.handle);
      expect(again.attachment).toBe(attachment);
      again.dispose();
    }
  });
});
