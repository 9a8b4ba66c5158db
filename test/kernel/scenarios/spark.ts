import type { SparkExports } from '../../../src/kernel/generated/spark/exports.ts';
import { scenarios as murmur } from './kernel.ts';
import { BODY, chunk, inOnes, inZeros, oneKey, ROUNDS, repeat, type Scenario, SEEDS, type Stage } from './stage.ts';

/** A number of bits that fits the body, a number of hashes, and a version. */
const filter = ({ random }: Stage): [bits: number, hashes: number, version: number] => [
  64 * (1 + random(2 ** 13)),
  1 + random(12),
  1 + random(2),
];

/** Also with more hashes than the loops take at once. */
const anyFilter = (stage: Stage): [bits: number, hashes: number, version: number] => {
  const [bits, hashes, version] = filter(stage);
  return [bits, stage.random(8) ? hashes : 2000, version];
};

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
  spark_add: inZeros((stage) => stage.kernel.spark_add(BODY, ...anyFilter(stage), ...chunk(stage.random))),
  spark_has: inOnes(4, (stage) => stage.kernel.spark_has(BODY, ...filter(stage), ...chunk(stage.random))),
  spark_add_key: inZeros(
    ({ kernel, random, ...stage }) =>
      kernel.spark_add_key(BODY, ...anyFilter({ kernel, random, ...stage }), ...oneKey(random), random(SEEDS)),
    10 * ROUNDS,
  ),
  spark_has_key: repeat(
    (stage) => stage.kernel.spark_has_key(BODY, ...filter(stage), ...oneKey(stage.random), stage.random(SEEDS)),
    10 * ROUNDS,
  ),
};
