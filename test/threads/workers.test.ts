import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { BlockedBloomFilter, BloomFilter } from '../../src/index.ts';
import { SharedBlockedBloomFilter, SharedBloomFilter } from '../../src/shared.ts';

const kinds = [
  { name: 'classic', Shared: SharedBloomFilter, Plain: BloomFilter },
  { name: 'blocked', Shared: SharedBlockedBloomFilter, Plain: BlockedBloomFilter },
] as const;

/** How often threads add the same keys: that they meet in a word is a matter of chance. */
const ROUNDS = 20;

interface Message {
  readonly attachment?: number;
  readonly acknowledged?: number;
  readonly fresh?: number;
}

function startWorker(workerData: object): Worker {
  return new Worker(new URL('worker.mjs', import.meta.url), { workerData });
}

const integers = (from: number, to: number): Uint32Array => Uint32Array.from({ length: to - from }, (_, i) => from + i);

/** Lets a worker add integers, and returns how many it was told were new. */
async function freshOf(handle: object, from: number, to: number): Promise<number> {
  const worker = startWorker({ handle, from, to });
  let fresh = 0;
  worker.on('message', (message: Message) => (fresh = message.fresh ?? fresh));
  await once(worker, 'exit');
  return fresh;
}

describe.each(kinds)('a filter that threads share: $name', (kind) => {
  const Shared = kind.Shared as typeof SharedBloomFilter;
  const Plain = kind.Plain as object as typeof BloomFilter;

  it('gets 10 million overlapping keys from four threads without losing a bit, round after round', {
    timeout: 300_000,
  }, async () => {
    const options = { capacity: 4_000_000, errorRate: 0.01 };
    const plain = new Plain(options);
    const flags = new Uint8Array(4_000_000);
    plain.addMany(integers(0, 4_000_000), flags);
    const different = flags.reduce((sum, flag) => sum + flag, 0);
    for (let round = 0; round < ROUNDS; round++) {
      const shared = new Shared(options);
      // Each key comes from two or three threads.
      const starts = [0, 500_000, 1_000_000, 1_500_000];
      const counts = await Promise.all(starts.map((from) => freshOf(shared.handle, from, from + 2_500_000)));
      const fresh = counts.reduce((sum, count) => sum + count, 0);
      const filter = shared.toFilter();
      expect(filter.equals(plain), `round ${round}`).toBe(true);
      // At least one thread was told that a key is new. The order of keys changes few answers by chance.
      expect(fresh).toBeGreaterThan(0.98 * different);
      for (const each of [filter, shared]) each.dispose();
    }
  });

  it('keeps what was acknowledged when a thread is terminated, and its place can be used again', async () => {
    const shared = new Shared({ capacity: 4_000_000, attachments: 2 });
    for (let round = 0; round < 5; round++) {
      const worker = startWorker({
        handle: shared.handle,
        from: round * 800_000,
        to: (round + 1) * 800_000,
        isEndless: true,
      });
      let attachment = -1;
      let acknowledged = 0;
      await new Promise<void>((resolve) => {
        worker.on('message', (message: Message) => {
          attachment = message.attachment ?? attachment;
          acknowledged = message.acknowledged ?? acknowledged;
          if (acknowledged > round * 800_000 + round * 70_000) resolve();
        });
      });
      await worker.terminate();
      expect(() => Shared.attach(shared.handle)).toThrow('all 2 attachments of the filter are in use');
      shared.release(attachment);
      const known = integers(round * 800_000, acknowledged);
      expect(shared.pick(known).length).toBe(known.length);
      const again = Shared.attach(shared.handle);
      expect(again.attachment).toBe(attachment);
      again.dispose();
    }
  });

  it('takes the memory of one, however many threads are attached', async () => {
    const shared = new Shared({ capacity: 200_000_000, errorRate: 0.01 });
    // Sets bits everywhere, so that all pages are really there.
    shared.addMany(integers(0, 2_000_000));
    const before = process.memoryUsage.rss();
    const workers = Array.from({ length: 4 }, () =>
      startWorker({ handle: shared.handle, from: 0, to: 1000, isEndless: true }),
    );
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    const more = process.memoryUsage.rss() - before;
    await Promise.all(workers.map((worker) => worker.terminate()));
    expect(shared.byteLength).toBeGreaterThan(230e6);
    expect(more).toBeLessThan(shared.byteLength);
    shared.dispose();
  });
});
