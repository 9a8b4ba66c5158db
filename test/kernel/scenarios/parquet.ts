import type { ParquetExports } from '../../../src/kernel/generated/parquet/exports.ts';
import { scenarios as murmur } from './kernel.ts';
import { HASHES, KEY_BYTES, KEYS, multiple, repeat, type Scenario } from './stage.ts';

/** The bytes of a state. */
const STATE = 64;

// All but these have the scenarios of the functions that they replace.
export const scenarios: Record<keyof ParquetExports, Scenario<ParquetExports>> = {
  hash_begin: repeat(({ kernel, random }) => kernel.hash_begin(HASHES + STATE * random(200), 0)),
  hash_continue: repeat((stage, i) =>
    stage.kernel.hash_continue(HASHES + STATE * i, KEYS + stage.random(1000), multiple(stage, 16, 20_000)),
  ),
  hash_end: repeat(({ kernel, random }, i) =>
    kernel.hash_end(HASHES + STATE * i, KEYS + random(KEY_BYTES), 2 ** random(54) - random(2)),
  ),
  hash_key: murmur.hash_key,
  hash_packed: murmur.hash_packed,
  hash_lines: murmur.hash_lines,
  hash_u64: murmur.hash_u64,
  hash_32: murmur.hash_32,
  blocked_add_key: murmur.blocked_add_key,
  blocked_has_key: murmur.blocked_has_key,
};
