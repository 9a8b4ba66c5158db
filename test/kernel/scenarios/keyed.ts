import type { KeyedExports } from '../../../src/kernel/generated/keyed/exports.ts';
import { scenarios as unkeyed } from './kernel.ts';
import { HASHES, KEY_BYTES, KEYS, multiple, repeat, type Scenario, SEEDS } from './stage.ts';

/** The bytes of a state. */
const STATE = 32;

// All but these have the scenarios of the functions that they replace.
export const scenarios: Record<keyof KeyedExports, Scenario<KeyedExports>> = {
  secret_at: ({ kernel }) => void kernel.secret_at(),
  hash_begin: repeat(({ kernel, random }) => kernel.hash_begin(HASHES + STATE * random(500), random(SEEDS))),
  hash_continue: repeat((stage, i) =>
    stage.kernel.hash_continue(HASHES + STATE * i, KEYS + stage.random(1000), multiple(stage, 8, 20_000)),
  ),
  hash_end: repeat(({ kernel, random }, i) =>
    kernel.hash_end(HASHES + STATE * i, KEYS + random(KEY_BYTES), 2 ** random(54) - random(2)),
  ),
  hash_key: unkeyed.hash_key,
  hash_packed: unkeyed.hash_packed,
  hash_lines: unkeyed.hash_lines,
  hash_u64: unkeyed.hash_u64,
  hash_32: unkeyed.hash_32,
  bloom_add_key: unkeyed.bloom_add_key,
  bloom_has_key: unkeyed.bloom_has_key,
  blocked_add_key: unkeyed.blocked_add_key,
  blocked_has_key: unkeyed.blocked_has_key,
  counting_add_key: unkeyed.counting_add_key,
  counting_count_key: unkeyed.counting_count_key,
  counting_remove_key: unkeyed.counting_remove_key,
};
