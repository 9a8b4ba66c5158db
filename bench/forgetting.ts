// Shows how many keys the filters that forget miss, by how long ago they came. All have the same memory and the same
// error rate, and get the same stream of distinct keys. Shows also how much the error rate of a stable filter wavers.

import type { GrowingFilter } from 'bloomery';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { optimalStableDecrements, StableBloomFilter } from 'bloomery/stable';
import { benchmark, count, inRounds, type Run } from './shared/cli.ts';
import { integer, shortPercent, tableOf } from './shared/figures.ts';

const ERROR_RATE = 0.01;
const WIDTHS = [1, 2, 4, 8] as const;
/** How long ago keys came, as multiples of the number of keys that the rotating filter remembers. */
const AGES = [0.1, 0.2, 0.4, 0.6, 1, 2];
/** How many of these keys are looked up at each age, as a multiple of the same number. */
const SAMPLE = 0.05;
/** Once a filter has got this many times its capacity, it forgets as many keys as it gets. */
const WARM_UP = 20;

/** The capacities of the stable filters whose error rates are watched. */
const CAPACITIES = [100, 1000, 10_000];
/** How often to look at the error rate of each. Twice its capacity is added in between. */
const LOOKS = 1000;

interface Subject {
  readonly name: string;
  readonly filter: GrowingFilter;
  /** The number of keys missed at each age. */
  readonly missed: number[];
  /** The number of absent keys that looked present. */
  found: number;
}

/** Integers from `from` on. They are mixed, so that no filter could take advantage of their order. */
function keysFrom(from: number, length: number): Uint32Array {
  return Uint32Array.from({ length }, (_, i) => Math.imul(from + i, 0x9e3779b1));
}

function subjectsFor(capacity: number): Subject[] {
  const subject = (name: string, filter: GrowingFilter): Subject => ({
    name,
    filter,
    missed: AGES.map(() => 0),
    found: 0,
  });
  const rotating = new RotatingBloomFilter({ capacity, errorRate: ERROR_RATE });
  const stable = WIDTHS.map((cellBits) => {
    const cells = Math.floor((8 * rotating.byteLength) / cellBits);
    const { hashes } = new StableBloomFilter({ capacity: 1, errorRate: ERROR_RATE, cellBits });
    const decrements = optimalStableDecrements(cells, cellBits, hashes, ERROR_RATE);
    const name = `stable, d = ${cellBits}, K = ${hashes}, P = ${integer.format(decrements)}`;
    return subject(name, new StableBloomFilter({ cells, cellBits, hashes, decrements }));
  });
  return [subject('rotating', rotating), ...stable];
}

function report(capacity: number, roundCount: number): string {
  const subjects = subjectsFor(capacity);
  const sample = Math.ceil(SAMPLE * capacity);
  let total = 0;
  for (const round of inRounds('keys', roundCount)) {
    const more = (round === 0 ? WARM_UP : 1) * capacity;
    const keys = keysFrom(total, more);
    const absent = keysFrom(2 ** 31 + total, more);
    total += more;
    for (const subject of subjects) {
      subject.filter.addMany(keys);
      if (round === 0) continue;
      subject.found += subject.filter.pick(absent).length;
      for (const [i, age] of AGES.entries()) {
        const aged = keysFrom(total - Math.round(age * capacity), sample);
        subject.missed[i] = (subject.missed[i] ?? 0) + subject.filter.omit(aged).length;
      }
    }
  }
  const rows = subjects.map(({ name, missed, found }) => [
    name,
    shortPercent(found / (capacity * roundCount)),
    ...missed.map((number) => shortPercent(number / (sample * roundCount))),
  ]);
  const { byteLength } = (subjects[0] as Subject).filter;
  return [
    '# bloomery: what filters that forget miss',
    `All filters have ${integer.format(byteLength)} bytes and are made for an error rate of ${shortPercent(ERROR_RATE)} %. ` +
      'Of the stable ones, d is the number of bits per cell, K that of hashes, and P that of decrements. ' +
      `The rotating one remembers N = ${integer.format(capacity)} keys. found %: absent keys that look present; the other ` +
      `columns: the share of keys, in percent, that look absent though they were added so long ago.`,
    tableOf(['filter', 'found %', ...AGES.map((age) => `${age} N`)], rows),
  ].join('\n\n');
}

/** The mean of an error rate over time, and its standard deviation as a share of the mean. */
function waverOf(capacity: number): { readonly mean: number; readonly deviation: number } {
  const filter = new StableBloomFilter({ capacity, errorRate: ERROR_RATE });
  const step = 2 * capacity;
  filter.addMany(keysFrom(0, WARM_UP * capacity));
  const rates = Array.from({ length: LOOKS }, (_, i) => {
    filter.addMany(keysFrom(WARM_UP * capacity + i * step, step));
    return filter.estimateErrorRate();
  });
  const mean = rates.reduce((sum, rate) => sum + rate / LOOKS, 0);
  const variance = rates.reduce((sum, rate) => sum + (rate / mean - 1) ** 2 / LOOKS, 0);
  return { mean, deviation: Math.sqrt(variance) };
}

function waverReport(): string {
  const rows = CAPACITIES.map((capacity) => {
    const { mean, deviation } = waverOf(capacity);
    return [integer.format(capacity), shortPercent(mean), shortPercent(deviation)];
  });
  return [
    '## The error rate of a single stable filter',
    `Made for ${shortPercent(ERROR_RATE)} %, with the default number of bits per cell, and estimated ` +
      `${integer.format(LOOKS)} times from the cells in use, while keys are added. deviation %: the standard deviation, ` +
      'in percent of the mean.',
    tableOf(['capacity', 'mean %', 'deviation %'], rows),
  ].join('\n\n');
}

const options = {
  keys: count('how many keys the rotating filter remembers', 1e7, '1e5'),
  rounds: count('how often to add that many keys, and look', 1000, '10'),
};

const run: Run = benchmark(options, ({ keys, rounds }) => [report(keys, rounds), waverReport()].join('\n\n'));
export default run;
