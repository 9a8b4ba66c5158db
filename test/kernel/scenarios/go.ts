import type { GoExports } from '../../../src/kernel/generated/go/exports.ts';
import { scenarios as murmur } from './kernel.ts';
import {
  BODY,
  ENDS,
  FLAGS,
  HASHES,
  inOnes,
  inZeros,
  KEY_BYTES,
  KEYS,
  oneKey,
  putEnds,
  ROUNDS,
  repeat,
  type Scenario,
  SEEDS,
  type Stage,
} from './stage.ts';

/** Numbers of bits: most below 2^19, which fit the body. */
const bits = ({ random }: Stage<GoExports>): number => 1 + random(2 ** (random(19) + 1));

/** Writes the places of a random chunk of keys: contiguous ones, or a single one that came in pieces. */
function putPlaces(stage: Stage<GoExports>): number {
  const { kernel, random } = stage;
  if (random(4)) {
    const start = random(1000);
    const count = putEnds(stage, KEY_BYTES - start);
    kernel.hash_packed(KEYS + start, ENDS, count, 0, HASHES);
    return count;
  }
  kernel.hash_begin(HASHES, 0);
  kernel.hash_continue(HASHES, KEYS, 16 * random(100));
  kernel.hash_end(HASHES, KEYS + random(1000), 2 ** random(54) - random(2));
  return 1;
}

// Hashes are places here, but what has no loops of its own is played as in the kernel.
export const scenarios: Record<keyof GoExports, Scenario<GoExports>> = {
  hash_begin: murmur.hash_begin,
  hash_continue: murmur.hash_continue,
  hash_end: murmur.hash_end,
  hash_key: murmur.hash_key,
  hash_packed: murmur.hash_packed,
  hash_lines: murmur.hash_lines,
  hash_u64: murmur.hash_u64,
  hash_32: murmur.hash_32,
  bloom_add_flags: inZeros((stage) => {
    const count = putPlaces(stage);
    stage.kernel.bloom_add_flags(BODY, bits(stage), 1 + stage.random(20), HASHES, count, FLAGS);
  }),
  bloom_has: inOnes(2, (stage) => {
    const count = putPlaces(stage);
    stage.kernel.bloom_has(BODY, bits(stage), 1 + stage.random(9), HASHES, count, FLAGS);
  }),
  bloom_add_key: inZeros((stage) => {
    const { kernel, random } = stage;
    kernel.bloom_add_key(BODY, bits(stage), 1 + random(20), ...oneKey(random), random(SEEDS));
  }, 10 * ROUNDS),
  bloom_has_key: repeat((stage) => {
    const { kernel, random } = stage;
    kernel.bloom_has_key(BODY, bits(stage), 1 + random(5), ...oneKey(random), random(SEEDS));
  }, 10 * ROUNDS),
};
