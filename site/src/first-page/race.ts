// Puts millions of names into a filter and into a Set, and looks them up, with the time of each.

import { sumOf } from '../../../bench/shared/figures.ts';
import type { Engine } from '../engine.ts';

const ERROR_RATE = 0.01;
/** So many names are made at a time, outside of the measured time. */
const CHUNK = 100_000;
/** A Set needs at least this for a name, besides its letters: a reference to it, and one to the next in its bucket. */
const LEAST_SLOT_BYTES = 8;

// Names that look like those of packages, and are made so fast that a list of millions need not be fetched.

const WORDS =
  'react vue node express data stream parse cache store query router logger config schema build test server client worker image color date token crypto format markdown event plugin editor search module loader'.split(
    ' ',
  );

/** The name with this number. No two numbers have the same. */
function madeName(i: number): string {
  const mixed = Math.imul(i + 1, 0x9e3779b1) >>> 0;
  return `${WORDS[mixed >>> 27]}-${WORDS[(mixed >>> 22) & 31]}-${i.toString(36)}`;
}

/** Names as a program has them that has parsed a list: each a string of its own. */
export function madeNames(first: number, count: number): string[] {
  const names = Array.from({ length: count }, (_, i) => madeName(first + i));
  return JSON.parse(`["${names.join('","')}"]`);
}

/** What takes part. */
export type Subject = 'filter' | 'set';

export interface Row {
  readonly subject: Subject;
  /** The memory: all of a filter's, and the least that a Set needs. */
  readonly bytes: number;
  readonly names: number;
  readonly buildSeconds: number;
  readonly lookUpSeconds: number;
  /** How many of the names were not found. */
  readonly missed: number;
  /** How many absent names were looked up, and how many of these looked present. */
  readonly absent: number;
  readonly wrong: number;
}

interface Contender {
  readonly subject: Subject;
  add(names: readonly string[]): void;
  /** How many of the names look present. */
  count(names: readonly string[]): number;
  bytes(): number;
}

function filterContender(filter: InstanceType<Engine['BlockedBloomFilter']>): Contender {
  return {
    subject: 'filter',
    add: (each) => void filter.addMany(each),
    count: (each) => sumOf(filter.hasMany(each)),
    bytes: () => filter.byteLength,
  };
}

function setContender(): Contender {
  const set = new Set<string>();
  return {
    subject: 'set',
    add(names) {
      for (const name of names) set.add(name);
    },
    count(names) {
      let found = 0;
      for (const name of names) if (set.has(name)) found++;
      return found;
    },
    bytes() {
      let letters = 0;
      for (const { length } of set) letters += length;
      return letters + LEAST_SLOT_BYTES * set.size;
    },
  };
}

/** Runs over chunks of names, and gives the sum of what `run` returns, and the seconds that it took. */
function timed(first: number, count: number, run: (names: readonly string[]) => number) {
  let [sum, milliseconds] = [0, 0];
  for (let done = 0; done < count; done += CHUNK) {
    const names = madeNames(first + done, Math.min(CHUNK, count - done));
    const begun = performance.now();
    sum += run(names);
    milliseconds += performance.now() - begun;
  }
  return { sum, seconds: milliseconds / 1000 };
}

function measure({ subject, add, count, bytes }: Contender, names: number, absent: number): Row {
  const { seconds: buildSeconds } = timed(0, names, (each) => {
    add(each);
    return 0;
  });
  const { sum: found, seconds: lookUpSeconds } = timed(0, names, count);
  const { sum: wrong } = timed(names, absent, count);
  return { subject, bytes: bytes(), names, buildSeconds, lookUpSeconds, missed: names - found, absent, wrong };
}

/** How many names to add and look up, and how many absent ones to look up. */
export interface Counts {
  readonly names: number;
  readonly absent: number;
}

/**
 * Measures the filter first, then the Set.
 *
 * @param onRow called with the figures of each, as soon as there are some
 */
export function race(engine: Engine, { names, absent }: Counts, onRow: (row: Row) => void): void {
  const filter = new engine.BlockedBloomFilter({ capacity: names, errorRate: ERROR_RATE });
  try {
    onRow(measure(filterContender(filter), names, absent));
  } finally {
    filter.dispose();
  }
  onRow(measure(setContender(), names, absent));
}
