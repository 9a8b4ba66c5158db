// Compares filters in the formats of other systems with a BloomFilter of the same capacity and error rate.

import { BloomFilter } from 'bloomery';
import { GoBloomFilter } from 'bloomery/go';
import { GuavaBloomFilter } from 'bloomery/guava';
import { ParquetBloomFilter } from 'bloomery/parquet';
import { SparkBloomFilter } from 'bloomery/spark';
import { benchmark, choice, count, type Run, rounds } from './shared/cli.ts';
import { integer } from './shared/figures.ts';
import { aboutSets } from './shared/keys.ts';
import { describeMachine } from './shared/machine.ts';
import { comparePairs, PAIRS_ERROR_RATE, type Pair } from './shared/pairs.ts';

const pairs: readonly Pair[] = [GuavaBloomFilter, SparkBloomFilter, GoBloomFilter, ParquetBloomFilter].map((Class) => {
  return { name: Class.name, base: BloomFilter, other: Class, takesNumbers: Class !== GoBloomFilter };
});

const options = {
  keys: count('how many keys to add, and to look up', 1e7, '1e6'),
  sets: choice('which of names, integers, lines, bytes', ['names', 'integers', 'lines']),
  rounds: rounds(5),
};

const run: Run = benchmark(options, ({ keys, sets, rounds }) =>
  [
    '# bloomery: filters of other systems beside a BloomFilter',
    describeMachine(),
    `${integer.format(keys)} keys, error rate ${100 * PAIRS_ERROR_RATE} %, medians of ${rounds} rounds. The last columns ` +
      'are how many times as fast the filter of another system is as a BloomFilter, and the lowest and the highest; below ' +
      '1 is slower.',
    ...sets.map((set) => `- ${set}: ${aboutSets[set]}.`),
    comparePairs(pairs, sets, keys, rounds, ['BloomFilter', 'other']),
  ].join('\n\n'),
);
export default run;
