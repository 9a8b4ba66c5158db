import { CELLS, KIND, type Kind } from '../../filters/kind.ts';
import { LayeredFilter } from '../../filters/layered-filter.ts';
import type { Key } from '../../keys/key.ts';
import { type Generations, ROTATING, requireClock } from './cells.ts';

/** The options of a `RotatingBloomFilter`. */
export interface RotatingBloomFilterOptions {
  /**
   * The number N of latest additions that are certainly remembered, 1 … 2^53 − 1. Adding a key again counts again,
   * unless the current generation has it.
   */
  capacity: number;
  /** The share of absent keys that may look present at any time, G · 10^-5 ≤ p < 1 for G generations; default 0.01. */
  errorRate?: number | undefined;
  /**
   * How long a key is remembered, in milliseconds, 1 … 2^45. With G generations and more than `capacity` / (G − 1)
   * additions in `window` / (G − 1), a key may be forgotten early: see `earlyRotations`. By default there is no window,
   * and only newer additions push out a key.
   */
  window?: number | undefined;
  /**
   * The number of generations G, 2 … 16; default 4. A key is forgotten with its generation: it is found until N
   * additions have been made after it, and gone after about N · G / (G − 1) different keys. With more generations,
   * these two numbers are closer, but each key takes more time.
   */
  generations?: number | undefined;
  /** A function that returns the time in milliseconds, for tests or a clock of your own; default `Date.now`. */
  clock?: (() => number) | undefined;
  /** The seed of the hash, 0 … 2^32 − 1; default 0. */
  seed?: number | undefined;
}

/**
 * A Bloom filter that forgets old keys. It remembers at least the last `capacity` additions; with `window`, those of
 * the last `window` milliseconds.
 *
 * Its memory is constant and it is never full, so it suits endless streams. Keys are added to one of G generations.
 * When that generation has its share of the keys, or its share of the window is over, the oldest generation is cleared
 * and takes the next keys. So a key is found until `capacity` = N additions have been made after it, and is gone after
 * about N · G / (G − 1) different keys, except where it looks present by chance. A repeated key counts again unless the
 * current generation has it. Adding a key again keeps it as if it were new.
 *
 * With a window, a key is found for `window` milliseconds and gone after `window` · G / (G − 1). If a generation has
 * its share of the keys before its share of the window is over, the oldest keys are forgotten early, so that the error
 * rate is kept; `earlyRotations` counts this. A file does not contain the clock: unless it is `Date.now`, set `clock`
 * right after loading. If the clock was once far ahead, nothing is forgotten by time until it reaches that time again,
 * a generation is full, or `rotate` or `clear` is called.
 *
 * ```ts
 * const seen = new RotatingBloomFilter({ capacity: 100_000, window: 60 * 60 * 1000 });
 * seen.add('job 17'); // true: not among the last 100,000 of the last hour
 * seen.add('job 17'); // false
 * ```
 */
export class RotatingBloomFilter extends LayeredFilter<RotatingBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: Kind<Generations> = ROTATING;
  /** @internal */
  declare readonly [CELLS]: Generations;

  get kind(): 'rotating' {
    return 'rotating';
  }

  /** The number of bits of all generations, a multiple of 256 for each. */
  get bits(): number {
    return this.cellCount;
  }

  /** The number of generations G. */
  get generations(): number {
    return this[CELLS].own.generations;
  }

  /** For how many milliseconds a key is remembered; 0 without a window. */
  get window(): number {
    return this[CELLS].own.window;
  }

  /** How often a generation was cleared to take new keys, up to 2^53 − 1. */
  get rotations(): number {
    return this[CELLS].own.rotations;
  }

  /**
   * How often a generation was full before its share of the window was over, since this object was made or loaded. Each
   * time, keys may be forgotten up to `window` / (G − 1) early. If this rises, `capacity` is too small for the window.
   * 0 without a window. Not saved.
   */
  get earlyRotations(): number {
    return this[CELLS].earlyRotations;
  }

  /**
   * The function that tells the time. A file does not contain it: unless it is `Date.now`, set it right after loading.
   * Lookups, additions and estimates read the clock, and forget keys whose time is over. After a time far ahead,
   * nothing is forgotten by time until the clock reaches that time again, a generation is full, or `rotate` or `clear`
   * is called.
   */
  get clock(): () => number {
    return this[CELLS].own.clock;
  }

  set clock(clock: () => number) {
    this[CELLS].own.clock = requireClock(clock);
  }

  /**
   * Adds a key. If it was added before, it is remembered as long as a new one.
   *
   * @returns true if the key was certainly not remembered
   * @throws TypeError | RangeError if `key` is not a key
   */
  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /**
   * Looks up a key. If it may be remembered, adds it again, so that it is remembered as long as a new one; a false
   * positive is added too.
   *
   * @returns whether the key may be remembered
   * @throws TypeError | RangeError if `key` is not a key
   */
  refresh(key: Key): boolean {
    if (!this.has(key)) return false;
    this.add(key);
    return true;
  }

  /**
   * Clears the oldest generation, which takes the next keys. This and every other rotation passes over the whole
   * filter, in a few tenths of a second per GiB.
   */
  rotate(): void {
    this[CELLS].rotate();
  }

  /** Estimates how many additions are remembered. A key that was added to several generations counts for each. */
  override estimateCount(): number {
    return super.estimateCount();
  }
}
