// Filters that are dropped by a loop that never returns to the event loop, so that no finalizer runs. In plain
// JavaScript, their memory is the runtime's own, and so is the time when it is collected.

import { BloomFilter } from 'bloomery';
import { holds } from '../../checks/assert.ts';
import { type Check, runChecks } from '../../checks/check.ts';
import { ask, report } from './runner.ts';

const MADE = 1024;
/**
 * By how much the memory of all processes may grow, in MiB. If nothing were collected, it would grow by all that is made.
 * When the library asks for a collection: test/filters/memory-refused.slow.test.ts. A busy browser returns memory late.
 */
const LIMIT = 0.75 * MADE;

/** Enough keys to use each page of the largest filter's memory. */
const keys = Uint32Array.from({ length: 8000 }, (_, i) => Math.imul(i, 0x9e3779b1));

function loop(mib: number): Check {
  const count = Math.ceil(MADE / mib);
  const run = async (): Promise<string> => {
    const options = { bits: Math.ceil(8 * mib * 2 ** 20), hashes: 7 };
    const some = keys.subarray(0, Math.ceil(400 * mib));
    // Time in which what was dropped before goes; its peak is not counted again.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await ask('memory/peak');
    for (let i = 0; i < count; i++) new BloomFilter(options).addMany(some);
    const growth = await ask<number>('memory/peak');
    const detail = `memory of all processes: +${growth.toFixed(0)} MiB at most, of +${LIMIT} allowed`;
    holds(growth < LIMIT, detail);
    return detail;
  };
  return [`dropped filters: ${count} of ${1024 * mib} KiB in a synchronous loop`, run];
}

await ask('memory/start');
await report('page', await runChecks([1 / 64, 16, 20].map(loop)));
