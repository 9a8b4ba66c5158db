// Fills a Set and filters with the same names, looks names up in them, and times both.

import { BloomFilter } from 'bloomery';
import { status } from '../../bench/shared/cli.ts';
import { heapOf } from '../../bench/shared/machine.ts';
import { shuffle } from '../../bench/shared/random.ts';
import { type Corpus, copyOf, sampleOf } from './corpus.ts';
import { batchWay, countFound, linesWay, setWay, singleWay, type Way } from './ways.ts';

const ERROR_RATE = 0.01;
/** The names are added in this many parts. */
const PARTS = 10;
export const ROUNDS = 7;
/** How many present names are looked up in a round, and how many absent ones. */
const SAMPLE = 50_000;

/** Nanoseconds per name: of adding in each part, and of looking up present and absent names in each round. */
export interface Times {
  readonly add: number[];
  readonly present: number[];
  readonly absent: number[];
}

/** A Set, and three ways to use a filter: a call for each name, batches of strings, and lines of a text. */
export type WayName = 'set' | 'single' | 'batch' | 'lines';

export interface Results {
  readonly presentNames: number;
  readonly absentNames: number;
  readonly promisedErrorRate: number;
  readonly filterBytes: number;
  /** Without the strings. */
  readonly setBytes: number;
  readonly times: Readonly<Record<WayName, Times>>;
  /** How many of the present names were not found. */
  readonly missed: number;
  /** How many of the absent names were found. */
  readonly falsePositives: number;
}

interface Timed {
  readonly way: Way;
  readonly times: Times;
  /** How many present names were found in all rounds, and how many absent ones. */
  readonly found: { present: number; absent: number };
}

function timed(way: Way): Timed {
  return { way, times: { add: [], present: [], absent: [] }, found: { present: 0, absent: 0 } };
}

/** Runs `run`, and adds its nanoseconds per name to `times`. Returns what it returned. */
function time<T>(times: number[], names: number, run: () => T): T {
  const start = performance.now();
  const result = run();
  times.push((1e6 * (performance.now() - start)) / names);
  return result;
}

/** Adds all present names in parts. For each part the ways take turns, in random order. */
function addAll(ways: readonly Timed[], { present, random }: Corpus): void {
  const size = Math.ceil(present.length / PARTS);
  for (let part = 0; part < PARTS; part++) {
    status(`adding: part ${part + 1} of ${PARTS} …`);
    const names = present.slice(part * size, (part + 1) * size);
    for (const { way, times } of shuffle([...ways], random)) time(times.add, names.length, way.add(names));
  }
}

/** Looks up names at random. In each round the ways take turns, in random order. The first round only warms up. */
function findSome(ways: readonly Timed[], corpus: Corpus): void {
  const { random } = corpus;
  for (let round = 0; round <= ROUNDS; round++) {
    status(`looking up: ${round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}`} …`);
    for (const step of ['present', 'absent'] as const) {
      const names = sampleOf(corpus[step], SAMPLE, random);
      for (const { way, times, found } of shuffle([...ways], random)) {
        const find = way.find(copyOf(names, random));
        found[step] += time(round === 0 ? [] : times[step], SAMPLE, find);
      }
    }
  }
}

/** @throws Error unless the Set is always right, and the filters find all present names and the same absent ones */
function check(set: Timed, filters: readonly Timed[]): void {
  const lookups = (ROUNDS + 1) * SAMPLE;
  const [first] = filters;
  for (const { found } of [set, ...filters]) {
    const absent = found === set.found ? 0 : first?.found.absent;
    if (found.present !== lookups || found.absent !== absent) throw new Error('a lookup gave wrong answers');
  }
}

export function measure(corpus: Corpus): Results {
  const { present, absent } = corpus;
  const newFilter = (): BloomFilter => new BloomFilter({ capacity: present.length, errorRate: ERROR_RATE });
  const names = new Set<string>();
  const filter = newFilter();
  const set = timed(setWay(names));
  const single = timed(singleWay(filter));
  const batch = timed(batchWay(newFilter()));
  const lines = timed(linesWay(newFilter()));
  const ways = [set, single, batch, lines];

  const setBytes = heapOf(() => {
    addAll(ways, corpus);
    return names;
  });
  findSome(ways, corpus);
  check(set, [single, batch, lines]);
  status('looking up all names …');
  return {
    presentNames: present.length,
    absentNames: absent.length,
    promisedErrorRate: ERROR_RATE,
    filterBytes: filter.byteLength,
    setBytes,
    times: { set: set.times, single: single.times, batch: batch.times, lines: lines.times },
    missed: present.length - countFound(filter, present),
    falsePositives: countFound(filter, absent),
  };
}
