import type { SparkExports } from '../../../src/kernel/generated/spark/exports.ts';
import { scenarios as murmur } from './kernel.ts';
import { BODY, chunk, inOnes, inZeros, oneKey, ROUNDS, type Scenario, SEEDS, type Stage } from './stage.ts';

/** A number of bits that fits the body, a number of hashes, and whether the version is 1. */
type Filter = [bits: number, hashes: number, narrow: number];

/** A filter with so few hashes that keys are found. */
const filter = ({ random }: Stage): Filter => [64 * (1 + random(2 ** 13)), 1 + random(12), random(2)];

/** A filter with any number of hashes, some with more than the loops take at once. */
const anyFilter = ({ random }: Stage): Filter => [
  64 * (1 + random(2 ** 13)),
  1 + random(random(8) ? 20 : 2000),
  random(2),
];

const SINGLE = 10 * ROUNDS;

// All but those with the name of the module have the scenarios of the functions that they replace.
export const scenarios: Record<keyof SparkExports, Scenario<SparkExports>> = {
  hash_begin: murmur.hash_begin,
  hash_continue: murmur.hash_continue,
  hash_end: murmur.hash_end,
  hash_key: murmur.hash_key,
  hash_packed: murmur.hash_packed,
  hash_lines: murmur.hash_lines,
  hash_u64: murmur.hash_u64,
  hash_32: murmur.hash_32,
  spark_add: inZeros((stage) => {
    const [hashes, count] = chunk(stage.random);
    stage.kernel.spark_add(BODY, ...anyFilter(stage), hashes, count);
  }),
  spark_add_flags: inZeros((stage) => stage.kernel.spark_add_flags(BODY, ...filter(stage), ...chunk(stage.random))),
  spark_has: inOnes(4, (stage) => stage.kernel.spark_has(BODY, ...filter(stage), ...chunk(stage.random))),
  spark_add_key: inZeros(
    (stage) => stage.kernel.spark_add_key(BODY, ...anyFilter(stage), ...oneKey(stage.random), stage.random(SEEDS)),
    SINGLE,
  ),
  spark_has_key: inOnes(
    4,
    (stage) => stage.kernel.spark_has_key(BODY, ...filter(stage), ...oneKey(stage.random), stage.random(SEEDS)),
    SINGLE,
  ),
};
