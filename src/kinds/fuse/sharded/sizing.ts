import { requireInteger } from '../../../util/checks/validate.ts';

/** The most shards: their numbers have this many bits. A file of them has a head of 6 KiB. */
export const MAX_SHARD_BITS = 8;
export const MAX_SHARDS: number = 2 ** MAX_SHARD_BITS;
/** The most keys per shard, on average, unless there are too many keys. Building a shard of them takes half a GB. */
const SHARD_KEYS: number = 2 ** 24;

/** The s of 2^s shards; undefined if the number is not a power of two. In integers, because logarithms are rounded. */
export function shardBitsOf(shards: number): number | undefined {
  const bits = 31 - Math.clz32(shards);
  return shards === 2 ** bits ? bits : undefined;
}

/**
 * The number of shards of a `ShardedFuseFilter` or a `FuseMap` of `count` distinct keys: the least power of two with which
 * a shard has no more than 2^24 keys on average, but at most 256. Frozen, so that the same keys always give the same bytes.
 *
 * @param count the number of distinct keys, 0 … 2^53 − 1
 * @throws TypeError if `count` is not a number; RangeError if it is out of range
 */
export function optimalFuseShards(count: number): number {
  requireInteger('count', count, 0, Number.MAX_SAFE_INTEGER);
  let shards = 1;
  while (shards < MAX_SHARDS && count > shards * SHARD_KEYS) shards *= 2;
  return shards;
}
