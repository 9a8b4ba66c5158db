// Hashes keys without a filter.

import type { Instance } from '../kernel/instance.ts';
import type { Engine } from '../kernel/region.ts';
import { HASH_BYTES } from '../kernel/scratch.ts';
import { HashedKeys } from '../keys/hashes.ts';
import { requireOptions } from '../util/checks/options.ts';
import { requireSeed } from '../util/checks/validate.ts';
import { changeAll } from './batch.ts';

/**
 * Hashes many keys, and returns `bytesPerKey` bytes for each, in order.
 *
 * @param mix changes the first `count` hashes in the scratch before their bytes are copied
 */
export function hashAll(
  engine: Engine,
  keys: unknown,
  seed: number,
  bytesPerKey: number,
  mix: (instance: Instance, count: number) => void = () => {},
): Uint8Array<ArrayBuffer> {
  const region = engine.reserve(1);
  const parts: Uint8Array[] = [];
  const take = (count: number): void => {
    const { instance } = region;
    mix(instance, count);
    parts.push(new Uint8Array(instance.memory.buffer, instance.scratch.hashes, bytesPerKey * count).slice());
  };
  try {
    changeAll({ region, seed }, keys, take);
  } finally {
    region.dispose();
  }
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The options of `hashKeys`. */
export interface HashOptions {
  /** The seed of the hash, 0 … 2^32 − 1; default 0. It must be the seed of the filters. */
  seed?: number | undefined;
}

export function hashKeysOn(engine: Engine, keys: unknown, options: HashOptions = {}): HashedKeys<ArrayBuffer> {
  const { seed = engine.seed ?? 0 } = requireOptions(options, '{ seed: 1 }', ['seed']) as HashOptions;
  requireSeed(seed, engine.seed);
  return new HashedKeys(hashAll(engine, keys, seed, HASH_BYTES), seed);
}
