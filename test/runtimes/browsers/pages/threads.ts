// A filter that the Workers of a page share. With `?isolated`, the page is cross-origin isolated.

import { BlockedBloomFilter, BloomFilter } from 'bloomery';
import { SharedBlockedBloomFilter, SharedBloomFilter } from 'bloomery/shared';
import { errorOf, holds, same, sameBytes } from '../../checks/assert.ts';
import { type Check, runChecks } from '../../checks/check.ts';
import { askWorker, report } from './runner.ts';

const COUNT = 300_000;
const options = { capacity: COUNT, errorRate: 0.01 };

const isolated: Check[] = (['classic', 'blocked'] as const).map((kind) => [
  `shared filters, ${kind}: two Workers and the page add to one at once, and lose nothing`,
  async () => {
    const shared = kind === 'classic' ? new SharedBloomFilter(options) : new SharedBlockedBloomFilter(options);
    const plain = kind === 'classic' ? new BloomFilter(options) : new BlockedBloomFilter(options);
    const keys = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `key ${from + i}`);
    const parts = [0, COUNT / 3].map((from) =>
      askWorker<number>('share', { handle: shared.handle, from, to: from + (2 * COUNT) / 3 }),
    );
    shared.addMany(keys(0, 1000));
    const fresh = await Promise.all(parts);
    plain.addMany(keys(0, COUNT));
    same(shared.pick(keys(0, COUNT)).length, COUNT, 'keys that are found');
    sameBytes(shared.toBytes(), plain.toBytes(), 'the filter of one thread');
    return `${fresh.join(' and ')} of ${COUNT} keys were new`;
  },
]);

const refused: Check = [
  'shared filters: on a page that is not isolated, the error names the headers',
  async () => {
    const error = await errorOf(() => new SharedBloomFilter(options), 'no isolation');
    const names = ['Cross-Origin-Opener-Policy: same-origin', 'Cross-Origin-Embedder-Policy: require-corp'];
    holds(
      names.every((name) => String(error).includes(name)),
      String(error),
    );
  },
];

same(crossOriginIsolated, location.search.includes('isolated'), 'isolation');
await report('page', await runChecks(crossOriginIsolated ? isolated : [refused]));
