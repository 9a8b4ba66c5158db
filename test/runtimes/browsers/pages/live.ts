// Many live filters: Chromium allows a page and its Workers 125 memories together.

import { holds } from '../../checks/assert.ts';
import { runChecks } from '../../checks/check.ts';
import { expectKeys, makeFilters } from './live-filters.ts';
import { ask, askWorker, report } from './runner.ts';

/** The size of the many filters in MiB. */
const MIB = 4;
/** How many there must be at least: 2 GiB. */
const LEAST = 500;

const outcomes = await runChecks([
  [
    'live filters: 130 of 1.2 MiB in a page, and as many in its Worker',
    async () => {
      const filters = makeFilters(1.2, 130);
      await askWorker('live-worker', { mib: 1.2, count: 130 });
      expectKeys(filters);
      for (const filter of filters) filter.dispose();
    },
  ],
  [
    'live filters: thousands of 4 MiB',
    async () => {
      const { available, wanted } = await ask<{ available: number; wanted: number }>('room');
      // A filter with one key touches only a few of its pages, so it takes less than 4 MiB. Half of the free memory is
      // left to other programs.
      const count = Math.floor(Math.min(wanted, available / 2) / MIB);
      holds(count >= LEAST, `there is memory for ${count} filters only`);
      const filters = makeFilters(MIB, count);
      expectKeys(filters);
      return `${count} filters, together ${((count * MIB) / 1024).toFixed(1)} GiB`;
    },
  ],
]);
await report('page', outcomes);
