// Bloom filters whose bits are saved in words of 64, and chosen by remainders: those of Guava and Spark.

import type { CombinableFilter } from '../filters/combinable-filter.ts';
import { type Like, requireAlike } from '../filters/compatible.ts';
import { capacityFor, type Estimate, estimateCount, estimateIntersection, estimateUnion } from '../filters/estimate.ts';
import { CELLS, type CombinableCells } from '../filters/kind.ts';
import type { Saved } from '../format/header.ts';
import { expectedErrorRate, MAX_HASHES } from '../kinds/classic/sizing.ts';
import { requireInteger, requireRate } from '../util/checks/validate.ts';
import { ForeignCells, ForeignFilter } from './foreign-filter.ts';

const WORD_BITS = 64;
/** The files have the number of words as a signed 32-bit integer. */
export const MAX_WORDS: number = 2 ** 31 - 1;
const MAX_BITS: number = WORD_BITS * MAX_WORDS;

/** The error rate for which both libraries size a filter unless one is given. */
export const JAVA_ERROR_RATE = 0.03;

/**
 * The number of bits that both libraries compute for a capacity and an error rate: `−n ln p / (ln 2)²`, rounded down.
 * The filter has them rounded up to whole words.
 */
export function bitsFor(capacity: number, errorRate: number): number {
  requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
  requireRate('errorRate', errorRate);
  const bits = Math.trunc((-capacity * Math.log(errorRate)) / (Math.LN2 * Math.LN2));
  if (bits >= 1 && bits <= MAX_BITS) return bits;
  throw new RangeError(`capacity ${capacity} at errorRate ${errorRate} needs ${bits} bits, of 1 … ${MAX_BITS}`);
}

/** Rounds a number of bits up to whole words. */
export function inWords(bits: number): number {
  return WORD_BITS * Math.ceil(bits / WORD_BITS);
}

/** The number of hashes, `m / n · ln 2`, rounded, and at least 1. */
export function hashesFor(bits: number, capacity: number): number {
  return Math.max(1, Math.round((bits / capacity) * Math.LN2));
}

/** Returns the number of bits if it is one that a filter can have. */
export function requireWordBits(bits: unknown): number {
  const value = requireInteger('bits', bits, WORD_BITS, MAX_BITS);
  if (value % WORD_BITS === 0) return value;
  throw new RangeError(`bits must be a multiple of ${WORD_BITS}, got ${value}`);
}

/** The bits that hashes of 32 bits can choose: no index reaches 2^31. */
export const NARROW_BITS: number = 2 ** 31;

/** The expected error rate of filters with any number of hashes. */
export function wordErrorRate(count: number, bits: number, hashes: number): number {
  // `expectedErrorRate` knows filters in memory, which have no more. The usual formula is near enough beyond that.
  if (hashes > MAX_HASHES) return (-Math.expm1((-hashes * count) / bits)) ** hashes;
  return expectedErrorRate(count, bits, hashes);
}

/** Bits in words. The indices may reach only the first of them. */
export abstract class WordBits extends ForeignCells {
  /** The number of bits that indices can reach. */
  abstract readonly reach: number;

  /** Makes other cells over the same memory. */
  abstract over(saved: Saved): WordBits;
}

/** The cells as if there were only the bits that indices can reach, for estimates: the others are never set. */
function withinReach(cells: CombinableCells): CombinableCells {
  const bits = cells as WordBits;
  const { reach, segments, cellBits, own } = bits;
  const { cellCount, hashes, seed, capacity, errorRate } = bits.parameters;
  if (cellCount === reach) return cells;
  return bits.over({ segments, parameters: { cellCount: reach, hashes, seed, capacity, errorRate }, cellBits, own });
}

/** The base class of Bloom filters whose bits are saved in words, and chosen by remainders. */
export abstract class WordFilter<Options = never> extends ForeignFilter<Options> {
  /** @internal */
  declare readonly [CELLS]: WordBits;

  /** The number of bits m, a multiple of 64. */
  get bits(): number {
    return this.cellCount;
  }

  override get capacity(): number {
    const { reach, parameters } = this[CELLS];
    return parameters.capacity || capacityFor(reach, parameters.hashes);
  }

  override estimateCount(): number {
    const { reach, parameters } = this[CELLS];
    return estimateCount(this[CELLS].used() / reach, reach, parameters.hashes);
  }

  override estimateErrorRate(): number {
    const { reach, parameters } = this[CELLS];
    return (this[CELLS].used() / reach) ** parameters.hashes;
  }

  override estimateUnion<F extends CombinableFilter>(this: F, other: Like<F>): Estimate {
    return estimateUnion(withinReach(this[CELLS]), requireAlike(this[CELLS], other));
  }

  override estimateIntersection<F extends CombinableFilter>(this: F, other: Like<F>): Estimate {
    return estimateIntersection(withinReach(this[CELLS]), requireAlike(this[CELLS], other));
  }
}
