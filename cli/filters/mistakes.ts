// How many of the lines that a filter has decided about are expected to be wrong.

import { integer, plural } from '../numbers.ts';
import { type GrowingFilter, traitsOf } from './kinds.ts';

/** Where a filter is measured: after so many equal shares of its capacity. */
const SHARES = 32;

/**
 * The mistakes of filters that grow while they decide: how many absent keys are expected to have seemed present. The
 * error rate is measured now and then, and taken for a power of the number of keys in between, as it is while a Bloom
 * filter is far from full.
 */
export class Mistakes {
  #filter: GrowingFilter;
  /** The error rate of the filters before the last one. */
  #olderRate = 0;
  /** The keys of the last filter, and its error rate, when it was measured last. */
  #measured: number;
  #rate: number;
  /** The keys that were added since. */
  #added = 0;
  #expected = 0;

  constructor(filter: GrowingFilter) {
    this.#filter = filter;
    const count = filter.estimateCount();
    this.#measured = Number.isFinite(count) ? count : filter.capacity;
    this.#rate = this.#measured > 0 ? filter.estimateErrorRate() : 0;
  }

  /** Counts absent keys that were added to the last filter. */
  add(keys: number): void {
    this.#added += keys;
    if (this.#added >= this.#filter.capacity / SHARES) this.#measure();
  }

  /** Goes on with another filter, an empty one. */
  open(filter: GrowingFilter): void {
    this.#measure();
    this.#olderRate += this.#rate;
    [this.#filter, this.#measured, this.#rate] = [filter, 0, 0];
  }

  #measure(): void {
    if (this.#added === 0) return;
    const { errorRate, hashes } = this.#filter;
    if (traitsOf(this.#filter).forgets) {
      // It is as full now as later, and as it was made for.
      this.#expected += mistakesBeside(this.#added, errorRate);
      this.#added = 0;
      return;
    }
    const [before, rateBefore] = [this.#measured, this.#rate];
    const count = before + this.#added;
    const rate = this.#filter.estimateErrorRate();
    const power = rateBefore > 0 ? Math.log(rate / rateBefore) / Math.log(count / before) : hashes;
    const own = (rate * count - rateBefore * before) / (1 + Math.max(0, power));
    this.#expected += mistakesBeside(this.#added, own / this.#added + this.#olderRate);
    [this.#measured, this.#rate, this.#added] = [count, rate, 0];
  }

  /** The expected number of absent keys so far that seemed present. */
  expected(): number {
    this.#measure();
    return this.#expected;
  }
}

/**
 * How many absent keys are expected to have seemed present beside those that did not.
 *
 * @param absent the number of keys that were found to be absent
 * @param rate the error rate of the filter
 */
export function mistakesBeside(absent: number, rate: number): number {
  return (absent * rate) / (1 - rate);
}

/** Formats an expected number with two digits: `0` only if it is 0. */
export function twoDigits(value: number): string {
  const rounded = Number(value.toPrecision(2));
  return rounded < 1000 ? String(rounded) : integer(rounded);
}

/** What was decided about a text. */
export interface Decided {
  readonly read: number;
  readonly kept: number;
  readonly noun: string;
  /** The expected number of mistakes; NaN if it is not known. */
  readonly mistakes: number;
  /** What a mistake is. */
  readonly wrong: string;
  /** Whether a set of fingerprints decided, so that the mistakes are the chance of a single one. */
  readonly isExact: boolean;
}

/**
 * Says what was decided: `1,000 lines read, 400 kept; expected to be lost: 0.004`, or
 * `1,000 lines read, 400 kept; exact, but for a chance of 1e-24 that one is lost`.
 */
export function decidedText({ read, kept, noun, mistakes, wrong, isExact }: Decided): string {
  const expected = Number.isFinite(mistakes) ? twoDigits(mistakes) : 'unknown, because the filter is full';
  const chance = mistakes > 0 ? `, but for a chance of ${expected} that one is ${wrong}` : '';
  const errors = isExact ? `exact${chance}` : `expected to be ${wrong}: ${expected}`;
  return `${plural(read, noun)} read, ${integer(kept)} kept; ${errors}`;
}
