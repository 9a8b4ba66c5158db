// A synchronous loop of temporary filters, in which no finalizer runs, must not fill the memory.

import { holds } from './assert.ts';
import type { Check } from './check.ts';
import { kinds } from './engines.ts';

const MEGABYTE = 1e6;
const LIMIT = 300 * MEGABYTE;

/** The size of all filters of a loop together. */
const TOTAL = 600 * MEGABYTE;

interface Measured {
  memoryUsage?(): { readonly rss: number };
}

/** The memory of the process in bytes; undefined where a program cannot measure it. */
function residentBytes(): number | undefined {
  return (globalThis as { process?: Measured }).process?.memoryUsage?.().rss;
}

/** Makes and drops filters of about 600 MB in all. */
function checkTemporaries(make: (bits: number) => { has(key: string): boolean }, bytes: number): string {
  const before = residentBytes();
  let peak = before ?? 0;
  for (let i = 0; i < TOTAL / bytes; i++) {
    holds(!make(8 * bytes).has('a'), 'the filter is empty');
    if (i % 16 === 0) peak = Math.max(peak, residentBytes() ?? 0);
  }
  if (before === undefined) return 'done; memory cannot be measured from within';
  const growth = Math.max(peak, residentBytes() ?? 0) - before;
  const shown = `peak +${Math.round(growth / MEGABYTE)} MB`;
  holds(growth < LIMIT, `${shown}, more than ${LIMIT / MEGABYTE} MB`);
  return shown;
}

const classic = kinds.filter(({ className }) => className === 'BloomFilter');

export const memory: readonly Check[] = classic.flatMap(({ name, Filter }) =>
  [2 ** 20, 100_000].map((bytes): Check => {
    const run = (): string => checkTemporaries((bits) => new Filter({ bits, hashes: 3 }), bytes);
    return [`${name}: temporaries of ${bytes} bytes, ${TOTAL / MEGABYTE} MB in all`, run];
  }),
);
