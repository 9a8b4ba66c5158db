// Compares filters whose keys are hashed under a secret with the same filters without one.

import { BlockedBloomFilter, BloomFilter } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import * as js from 'bloomery/js';
import { generateSecret, keyed } from 'bloomery/keyed';
import { keyed as keyedJs } from 'bloomery/keyed/js';
import { benchmark, choice, count, type Run, rounds } from './shared/cli.ts';
import { integer } from './shared/figures.ts';
import { aboutSets } from './shared/keys.ts';
import { describeMachine } from './shared/machine.ts';
import { comparePairs, PAIRS_ERROR_RATE, type Pair } from './shared/pairs.ts';

const secret = generateSecret();

const pairs: readonly Pair[] = [
  { name: 'BloomFilter', base: BloomFilter, other: keyed(BloomFilter, secret) },
  { name: 'BlockedBloomFilter', base: BlockedBloomFilter, other: keyed(BlockedBloomFilter, secret) },
  { name: 'CuckooFilter', base: CuckooFilter, other: keyed(CuckooFilter, secret) },
  { name: 'BloomFilter, JS engine', base: js.BloomFilter, other: keyedJs(js.BloomFilter, secret) },
];

const options = {
  keys: count('how many keys to add, and to look up', 1e7, '1e5'),
  sets: choice('which of names, integers, lines, bytes, long', ['names', 'integers', 'lines', 'bytes', 'long']),
  rounds: rounds(9),
};

const run: Run = benchmark(options, ({ keys, sets, rounds }) => {
  return [
    '# bloomery: keys hashed under a secret',
    describeMachine(),
    `${integer.format(keys)} keys, error rate ${100 * PAIRS_ERROR_RATE} %, medians of ${rounds} rounds. The last columns are ` +
      'how many times as fast a filter with a secret is as the same without one, and the lowest and the highest; below 1 ' +
      'is slower.',
    ...sets.map((set) => `- ${set}: ${aboutSets[set]}.`),
    comparePairs(pairs, sets, keys, rounds, ['without', 'with']),
  ].join('\n\n');
});
export default run;
