// Compares filters in the formats of other systems with a BloomFilter of the same capacity and error rate.

import { BloomFilter } from 'bloomery';
import { GoBloomFilter } from 'bloomery/go';
import { GuavaBloomFilter } from 'bloomery/guava';
import { ParquetBloomFilter } from 'bloomery/parquet';
import { SparkBloomFilter } from 'bloomery/spark';
import { pairsBenchmark } from './shared/pairs.ts';

export default pairsBenchmark({
  title: 'filters of other systems beside a BloomFilter',
  pairs: [GuavaBloomFilter, SparkBloomFilter, GoBloomFilter, ParquetBloomFilter].map((Class) => {
    return { name: Class.name, base: BloomFilter, other: Class, takesNumbers: Class !== GoBloomFilter };
  }),
  names: ['BloomFilter', 'other'],
  sets: ['names', 'integers', 'lines'],
  keys: '1e6',
  rounds: 5,
});
