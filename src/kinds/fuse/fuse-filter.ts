// What fuse filters have in common, whole or in shards: their options, and what they say of themselves.

import { DEFAULT_ERROR_RATE, type Without } from '../../filters/filter-options.ts';
import { CELLS, KIND } from '../../filters/kind.ts';
import { StoredFilter } from '../../filters/stored-filter.ts';
import type { Engine } from '../../kernel/region.ts';
import { requireOptions } from '../../util/checks/options.ts';
import { requireInteger, requireSeed } from '../../util/checks/validate.ts';
import { MAX_BITS, optimalFuseFingerprintBits } from './sizing.ts';

/** The options of a fuse filter: an error rate, or the number of bits of a fingerprint. */
export type FuseOptions =
  | ({
      /** The share of absent keys that may look present, 2^-32 ≤ p < 1; rounded down to a power of 2; default 0.01. */
      errorRate?: number | undefined;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'fingerprintBits'>)
  | ({
      /** The number of bits of a fingerprint b, and so of a cell, 1 … 32: absent keys look present at a rate of 2^-b. */
      fingerprintBits: number;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'errorRate'>);

/**
 * Reads the options of a fuse filter.
 *
 * @param more the names of further options of the kind, which are not read
 * @param least the least number of bits of a fingerprint
 */
export function readFuseOptions(
  options: unknown,
  { seed: only }: Pick<Engine, 'seed'>,
  more: readonly string[] = [],
  least = 1,
): { bits: number; seed: number } {
  const given = requireOptions(options, '{ errorRate: 0.01 }', ['errorRate', 'fingerprintBits', 'seed', ...more]);
  const { errorRate, fingerprintBits: bits, seed = only ?? 0 } = given as Record<string, number | undefined>;
  if (bits !== undefined && errorRate !== undefined) {
    throw new TypeError('options must give errorRate or fingerprintBits, got both');
  }
  return {
    bits:
      bits === undefined
        ? optimalFuseFingerprintBits(errorRate === undefined ? DEFAULT_ERROR_RATE : errorRate)
        : requireInteger('fingerprintBits', bits, least, MAX_BITS),
    seed: requireSeed(seed, only),
  };
}

/** Throws the error of the constructor: only `from` makes filters of this kind, because all keys must be known. */
function refuse(name: string): never {
  throw new TypeError(`a ${name} is made of all its keys at once: use ${name}.from(keys, options)`);
}

/** The base class of fuse filters. They are made of all keys at once, and then take no more. */
export abstract class FuseFilter extends StoredFilter {
  protected constructor() {
    super(refuse(new.target[KIND].className));
  }

  /** The number of distinct keys in the filter: `count`. */
  override get capacity(): number {
    return this.count;
  }

  /** The number of distinct keys in the filter, exactly, or one less for each two keys of equal 64-bit hashes. */
  get count(): number {
    return this[CELLS].parameters.capacity;
  }

  /** The number of bits of a fingerprint, b: as many as a cell has. */
  get fingerprintBits(): number {
    return this.cellBits;
  }

  /** Always 1: the filter has been built, and takes no more keys. */
  fillRatio(): number {
    return 1;
  }

  /** The number of distinct keys in the filter: `count`. */
  estimateCount(): number {
    return this.count;
  }

  /** The share of absent keys that look present: 2^-b, or 0 without keys. */
  estimateErrorRate(): number {
    return this.errorRate;
  }
}
