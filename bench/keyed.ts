// Compares filters whose keys are hashed under a secret with the same filters without one.

import { BlockedBloomFilter, BloomFilter } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import * as js from 'bloomery/js';
import { generateSecret, keyed } from 'bloomery/keyed';
import { keyed as keyedJs } from 'bloomery/keyed/js';
import { pairsBenchmark } from './shared/pairs.ts';

const secret = generateSecret();

export default pairsBenchmark({
  title: 'keys hashed under a secret',
  pairs: [
    { name: 'BloomFilter', base: BloomFilter, other: keyed(BloomFilter, secret) },
    { name: 'BlockedBloomFilter', base: BlockedBloomFilter, other: keyed(BlockedBloomFilter, secret) },
    { name: 'CuckooFilter', base: CuckooFilter, other: keyed(CuckooFilter, secret) },
    { name: 'BloomFilter, JS engine', base: js.BloomFilter, other: keyedJs(js.BloomFilter, secret) },
  ],
  names: ['without', 'with'],
  sets: ['names', 'integers', 'lines', 'bytes', 'long'],
  keys: '1e5',
  rounds: 9,
});
