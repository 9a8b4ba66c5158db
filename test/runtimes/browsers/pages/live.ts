// Many live filters: Chromium allows a page and its Workers 125 memories together.

import { BloomFilter } from 'bloomery';
import { holds, same } from '../../checks/assert.ts';
import { runChecks } from '../../checks/check.ts';
import { ask, report } from './runner.ts';

const MIB = 4;
/** How many there must be at least: 2 GiB. */
const LEAST = 500;

const outcomes = await runChecks([
  [
    'live filters: thousands of 4 MiB keep their keys',
    async () => {
      const { available, wanted } = await ask<{ available: number; wanted: number }>('room');
      // A filter with one key touches only a few of its pages, so it takes less than 4 MiB. Half of the free memory is
      // left to other programs.
      const count = Math.floor(Math.min(wanted, available / 2) / MIB);
      holds(count >= LEAST, `there is memory for ${count} filters only`);
      // The header and the like take some of the size.
      const options = { bits: (MIB * 2 ** 20 - 1024) * 8, hashes: 7 };
      const filters: BloomFilter[] = [];
      for (let i = 0; i < count; i++) {
        const filter = new BloomFilter(options);
        filter.add(`key ${i}`);
        filters.push(filter);
      }
      const wrong = filters.findIndex((filter, i) => !filter.has(`key ${i}`) || filter.has(`key ${i + 1}`));
      same(wrong, -1, 'the first filter with other keys than were added');
    },
  ],
]);
await report('page', outcomes);
