// A filter that the Workers of a page share. With `?isolated`, the page is cross-origin isolated.

import { BlockedBloomFilter, BloomFilter } from 'bloomery';
import { SharedBlockedBloomFilter, SharedBloomFilter, type SharedHandle } from 'bloomery/shared';
import { errorOf, holds, same, sameBytes } from '../../checks/assert.ts';
import { type Check, runChecks } from '../../checks/check.ts';
import { report } from './runner.ts';

const COUNT = 300_000;
const options = { capacity: COUNT, errorRate: 0.01 };
const keysFrom = (from: number, count: number) => Array.from({ length: count }, (_, i) => `key ${from + i}`);

interface Task {
  readonly handle: SharedHandle;
  readonly from: number;
}

/** In a Worker: adds two thirds of the keys, some at a time, and answers how many were new. */
function share({ handle, from }: Task): number {
  using filter = handle.kind === 'classic' ? SharedBloomFilter.attach(handle) : SharedBlockedBloomFilter.attach(handle);
  let fresh = 0;
  for (let i = from; i < from + (2 * COUNT) / 3; i += 1000) fresh += filter.dedupe(keysFrom(i, 1000)).length;
  return fresh;
}

async function shareInWorker(task: Task): Promise<number> {
  const worker = new Worker(`/threads.js${location.search}`, { type: 'module' });
  const answer = await new Promise<number>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<number>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(`the Worker failed: ${message}`));
    worker.postMessage(task);
  });
  worker.terminate();
  return answer;
}

const classes = [
  [SharedBloomFilter, BloomFilter],
  [SharedBlockedBloomFilter, BlockedBloomFilter],
] as const;

const isolated: Check[] = classes.map(([Shared, Plain]) => [
  `shared filters, ${Plain.kind}: two Workers and the page add to one at once, and lose nothing`,
  async () => {
    const shared = new Shared(options);
    const parts = [0, COUNT / 3].map((from) => shareInWorker({ handle: shared.handle, from }));
    shared.addMany(keysFrom(0, 1000));
    const fresh = await Promise.all(parts);
    same(shared.pick(keysFrom(0, COUNT)).length, COUNT, 'keys that are found');
    sameBytes(shared.toBytes(), new Plain(options).addMany(keysFrom(0, COUNT)).toBytes(), 'the filter of one thread');
    return `${fresh.join(' and ')} of ${COUNT} keys were new`;
  },
]);

const refused: Check = [
  'shared filters: on a page that is not isolated, the error names the headers',
  async () => {
    const error = String(await errorOf(() => new SharedBloomFilter(options), 'no isolation'));
    for (const header of ['Cross-Origin-Opener-Policy: same-origin', 'Cross-Origin-Embedder-Policy: require-corp']) {
      holds(error.includes(header), error);
    }
  },
];

if (typeof document === 'undefined') {
  self.onmessage = ({ data }: MessageEvent<Task>) => self.postMessage(share(data));
} else {
  same(crossOriginIsolated, location.search.includes('isolated'), 'isolation');
  report('page', await runChecks(crossOriginIsolated ? isolated : [refused]));
}
