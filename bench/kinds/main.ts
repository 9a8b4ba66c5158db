// Compares all kinds of filters and their alternatives, with filters smaller and larger than the cache.

import { benchmark, counts, list, type Run, rounds } from '../shared/cli.ts';
import { bitsPerKey, extentOf, integer, nanoseconds, type Spread, shortPercent, tableOf } from '../shared/figures.ts';
import { describeMachine } from '../shared/machine.ts';
import { type Comparison, compareAll, type KindsResult } from './comparison.ts';

/** Explains the tables. */
function meaningOf(rounds: number): string {
  return (
    `Nanoseconds per key: the median of ${rounds} rounds, with the lowest and the highest. Keys are 32-bit integers, ` +
    'in batches; a `Set` and a `Map` take them one by one. Build: a filter is made, ' +
    'and all keys are added. Hits: absent keys reported as present, of as many as there are keys; found: their share; ' +
    'estimated: what the filter says. Bits per key of a `Set` and a `Map` are those of all their memory.'
  );
}

function time(spread: Spread): string {
  return `${nanoseconds(spread.median)} (${extentOf(spread, nanoseconds)})`;
}

function tableFor(results: readonly KindsResult[]): string {
  const rows = results.map((result) => [
    result.subject,
    bitsPerKey(result),
    time(result.build),
    time(result.hit),
    time(result.miss),
    integer.format(result.found),
    shortPercent(result.found / result.keys),
    shortPercent(result.estimatedErrorRate),
  ]);
  const header = ['', 'bits per key', 'build', 'look up, present', 'look up, absent', 'hits', 'found %', 'estimated %'];
  return tableOf(header, rows);
}

/** A table with its title, and the subjects left out of it. */
function sectionsOf({ keys, errorRate, results, overtaxed }: Comparison): string[] {
  const count = integer.format(keys);
  const large = overtaxed.map(({ name, mostKeys }) => `${name}: not timed above ${integer.format(mostKeys)} keys.`);
  return [`## ${count} keys at ${shortPercent(errorRate)} %`, tableFor(results), ...large];
}

/** The tables of all `comparisons`, after an explanation. */
export function kindsText(comparisons: readonly Comparison[], rounds: number): string[] {
  return [meaningOf(rounds), ...comparisons.flatMap(sectionsOf)];
}

function readRate(text: string): number {
  const rate = Number(text);
  if (rate > 1e-8 && rate < 1) return rate;
  throw new RangeError(`--error-rates must be above 1e-8 and below 1, got '${text}'`);
}

const options = {
  keys: counts('how many integers to add, and to look up', 1e8, '1e5,1e7'),
  'error-rates': list('the error rates to ask for', '0.01,0.001', readRate),
  rounds: rounds(5),
};

const run: Run = benchmark(options, ({ keys, 'error-rates': rates, rounds }) => {
  const comparisons = keys.flatMap((count) => rates.map((rate) => compareAll(count, rate, rounds)));
  return ['# bloomery: all kinds', describeMachine(), ...kindsText(comparisons, rounds)].join('\n\n');
});
export default run;
