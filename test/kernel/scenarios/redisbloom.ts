import type { RedisbloomExports } from '../../../src/kernel/generated/redisbloom/exports.ts';
import { scenarios as murmur } from './kernel.ts';
import { HASHES, MAX_KEYS, repeat, type Scenario } from './stage.ts';

// All but these have the scenarios of the functions that they replace.
export const scenarios: Record<keyof RedisbloomExports, Scenario<RedisbloomExports>> = {
  hash_begin: repeat(({ kernel, random }) => kernel.hash_begin(HASHES + 16 * random(MAX_KEYS), 2 ** random(54))),
  hash_again: repeat(({ kernel, random }) => kernel.hash_again(HASHES + 16 * random(MAX_KEYS), 2 ** random(54))),
  hash_continue: murmur.hash_continue,
  hash_end: murmur.hash_end,
  hash_key: murmur.hash_key,
  hash_packed: murmur.hash_packed,
  hash_lines: murmur.hash_lines,
  hash_u64: murmur.hash_u64,
  hash_32: murmur.hash_32,
  bloom_add_flags: murmur.bloom_add_flags,
  bloom_has: murmur.bloom_has,
  bloom_add_key: murmur.bloom_add_key,
  bloom_has_key: murmur.bloom_has_key,
};
