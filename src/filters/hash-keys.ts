import type { Engine } from '../kernel/region.ts';
import { HASH_BYTES, HashedKeys } from '../keys/hashed.ts';
import { requireOptions } from '../options.ts';
import { requireSeed } from '../validate.ts';
import { hashAll } from './hash-all.ts';

/** The options of `hashKeys`. */
export interface HashOptions {
  /** The seed of the hash, 0 … 2^32 − 1; default 0. It must be that of the filters. */
  seed?: number | undefined;
}

export function hashKeysOn(engine: Engine, keys: unknown, options: HashOptions = {}): HashedKeys<ArrayBuffer> {
  const { seed = 0 } = requireOptions(options, '{ seed: 1 }', ['seed']) as HashOptions;
  requireSeed(seed);
  return new HashedKeys(hashAll(engine, keys, seed, HASH_BYTES), seed);
}
