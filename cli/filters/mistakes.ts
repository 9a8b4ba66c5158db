// How many of the lines that a filter has decided about are expected to be wrong.

import { isWatched } from '../errors.ts';
import { integer, plural } from '../numbers.ts';
import { type GrowingFilter, traitsOf } from './kinds.ts';

/** Where a filter is measured: after so many equal shares of its capacity, or of the keys that it has if those are more. */
const SHARES = 8;

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
    if (this.#forgets) this.#rate = filter.errorRate;
    else this.#rate = this.#measured > 0 ? filter.estimateErrorRate() : 0;
  }

  /** Whether the filter forgets: then it is always as full as it was made for. */
  get #forgets(): boolean {
    return traitsOf(this.#filter).forgets;
  }

  /** After how many keys the last filter is measured. More of them should not be added at once. */
  get step(): number {
    return this.#forgets ? Number.POSITIVE_INFINITY : Math.max(this.#filter.capacity, this.#measured, 1000) / SHARES;
  }

  /** Counts absent keys that were added to the last filter. */
  add(keys: number): void {
    this.#added += keys;
    if (this.#added >= this.step) this.#measure();
  }

  /** Goes on with another filter, an empty one. */
  open(filter: GrowingFilter): void {
    this.#measure();
    this.#olderRate += this.#rate;
    [this.#filter, this.#measured, this.#rate] = [filter, 0, 0];
  }

  #measure(): void {
    if (this.#added === 0) return;
    if (this.#forgets) {
      this.#expected += mistakesBeside(this.#added, this.#rate);
      this.#added = 0;
      return;
    }
    const { hashes } = this.#filter;
    const [before, rateBefore] = [this.#measured, this.#rate];
    const count = before + this.#added;
    const rate = this.#filter.estimateErrorRate();
    const power = rateBefore > 0 ? Math.log(rate / rateBefore) / Math.log(count / before) : hashes;
    const own = (rate * count - rateBefore * before) / (1 + Math.max(0, power));
    this.#expected += mistakesBeside(this.#added, own / this.#added + this.#olderRate);
    [this.#measured, this.#rate, this.#added] = [count, rate, 0];
  }

  /** The expected number of absent keys so far that seemed present: see `mistakesAfter`. */
  expected(): number {
    this.#measure();
    return this.#expected + mistakesBeside(1, this.#rate + this.#olderRate);
  }
}

/** How many absent keys are expected to seem present until `absent` did not, if a filter has this error rate. */
function mistakesBeside(absent: number, rate: number): number {
  return (absent * rate) / (1 - rate);
}

/**
 * How many absent keys are expected to have seemed present beside those that did not. One more is counted: else none
 * would be expected where all keys seemed present. This is the mean if nothing is known of how many were absent.
 *
 * @param absent the number of keys that were found to be absent
 * @param rate the error rate of the filter
 */
export function mistakesAfter(absent: number, rate: number): number {
  return mistakesBeside(absent + 1, rate);
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
  /** How many of those that were read may have been decided wrongly. */
  readonly unsure: number;
  /** The expected number of mistakes, not finite if every key seems present; undefined if its file does not tell. */
  readonly mistakes: number | undefined;
  /** What a mistake is. */
  readonly wrong: string;
  /** Whether a set of fingerprints decided, so that the mistakes are the chance of a single one. */
  readonly isExact: boolean;
}

/** The expected number of mistakes in words, which is 0 only if there can be none. */
function expectedText({ unsure, mistakes }: Decided): string {
  if (unsure === 0) return '0';
  if (mistakes === undefined) return 'unknown, because the filter was not loaded';
  if (!Number.isFinite(mistakes)) return 'unknown, because every key seems present';
  // An error rate may be too low for a number.
  return twoDigits(Math.max(Number.MIN_VALUE, Math.min(unsure, mistakes)));
}

/**
 * Says what was decided: `1,000 lines read, 400 kept; expected to be lost: 0.004`, or
 * `1,000 lines read, 400 kept; exact, but for a chance of 1e-24 that one is lost`.
 */
export function decidedText(decided: Decided): string {
  const { read, kept, noun, unsure, wrong, isExact } = decided;
  const expected = expectedText(decided);
  const chance = unsure > 0 ? `, but for a chance of ${expected} that one is ${wrong}` : '';
  const errors = isExact ? `exact${chance}` : `expected to be ${wrong}: ${expected}`;
  return `${plural(read, noun)} read, ${integer(kept)} kept; ${errors}`;
}

/** Whether it is said what was decided: what a filter did always, because it may have erred, and what a set did to a person. */
export function isDecisionSaid(isExact: boolean): boolean {
  return !isExact || isWatched();
}
