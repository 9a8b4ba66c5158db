// Filters that are dropped by a loop that never returns to the event loop.

import * as wasm from 'bloomery';
import * as js from 'bloomery/js';
import { holds } from '../../checks/assert.ts';
import { type Check, runChecks } from '../../checks/check.ts';
import { ask, report } from './runner.ts';

/** By how much the memory of all processes may grow, in MiB. */
const LIMIT = 300;
/** How much each loop makes, in MiB. */
const MADE = 1024;
/** The sizes of filters in MiB. */
const sizes = [0.1, 1, 20];
const engines = Object.entries({ wasm, js });

/** So many keys that they use each page of the largest filter's memory. */
const keys = Uint32Array.from({ length: 8000 }, (_, i) => Math.imul(i, 0x9e3779b1));

// All loops are compared with the memory before the first.
await ask('memory/start');
const checks = engines.flatMap(([engine, { BloomFilter }]) =>
  sizes.map((mib): Check => {
    const count = Math.ceil(MADE / mib);
    return [
      `dropped filters, ${engine}: ${count} of ${mib} MiB in a synchronous loop`,
      async () => {
        const bits = Math.ceil((mib * 2 ** 20 - 1024) * 8);
        const some = keys.subarray(0, 400 * mib);
        // Time in which what the loop before has dropped goes; its peak is not counted again.
        await new Promise((resolve) => setTimeout(resolve, 500));
        await ask('memory/peak');
        const begun = performance.now();
        for (let i = 0; i < count; i++) new BloomFilter({ bits, hashes: 7 }).addMany(some);
        const seconds = (performance.now() - begun) / 1000;
        const growth = await ask<number>('memory/peak');
        const detail = `memory of all processes: +${growth.toFixed(0)} MiB at most; ${seconds.toFixed(1)} s`;
        holds(growth < LIMIT, detail);
        return detail;
      },
    ];
  }),
);
await report('page', await runChecks(checks));
