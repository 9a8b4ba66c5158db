import type { RotatingExports } from '../kernel/generated/rotating/exports.ts';
import type { Engine } from '../kernel/region.ts';
import type { Key } from '../keys/key.ts';
import { CELLS, KIND, type Kind } from './kind.ts';
import { type Lanes, ROTATING, requireClock } from './lanes.ts';
import { LayeredFilter } from './layered-filter.ts';

/** The options of a `RotatingBloomFilter`. */
export interface RotatingBloomFilterOptions {
  /**
   * How many of the latest additions are certainly remembered, N: 1 … 2^53 − 1. A key that is added again counts again
   * unless the current lane has it.
   */
  capacity: number;
  /** The share of absent keys that may look present at any time, G · 10^-5 ≤ p < 1 for G lanes; default 0.01. */
  errorRate?: number | undefined;
  /**
   * For how many milliseconds a key is remembered, unless more than `capacity` additions come in that time: 1 … 2^45.
   * By default, only newer additions push out a key.
   */
  window?: number | undefined;
  /**
   * The number of lanes G, 2 … 16; default 4. A key is forgotten with its lane: it is found until N additions have been
   * made after it, and gone after about N · G / (G − 1) different keys. With more lanes, the two are closer, and each
   * key costs more time.
   */
  lanes?: number | undefined;
  /** What tells the time in milliseconds, for tests or a clock of your own; default `Date.now`. */
  clock?: (() => number) | undefined;
  /** The seed of the hash, 0 … 2^32 − 1; default 0. */
  seed?: number | undefined;
}

/**
 * The filter that forgets, on any engine; `bloomery/rotating` says what users must know. Its lanes are blocked filters
 * that lie side by side. An addition counts if the current lane lacks the key, even if another lane has it.
 */
export class RotatingBloomFilter extends LayeredFilter<RotatingBloomFilterOptions> {
  /** The engine of all filters of this class: the kernel, with this kind's module linked to it. */
  declare static readonly engine: Engine<RotatingExports>;
  /** @internal */
  static override readonly [KIND]: Kind<Lanes> = ROTATING;
  /** @internal */
  declare readonly [CELLS]: Lanes;

  get kind(): 'rotating' {
    return 'rotating';
  }

  /** The number of bits of all lanes, a multiple of 256 for each. */
  get bits(): number {
    return this.cellCount;
  }

  /** The number of lanes G. */
  get lanes(): number {
    return this[CELLS].own.lanes;
  }

  /** For how many milliseconds a key is remembered; 0 without a window. */
  get window(): number {
    return this[CELLS].own.window;
  }

  /** How often a lane was cleared to take its turn. */
  get rotations(): number {
    return this[CELLS].own.rotations;
  }

  /**
   * How often, since this object was made or loaded, a lane was full before its share of the window was over: each
   * time, keys may be forgotten a share of `window` / (G − 1) early. If this rises, `capacity` is too small for the
   * window. 0 without a window. It is not saved.
   */
  get earlyRotations(): number {
    return this[CELLS].earlyRotations;
  }

  /**
   * What tells the time. A file does not contain it: unless it is `Date.now`, set it right after loading. Lookups,
   * additions and estimates read the clock, and forget what is due.
   */
  get clock(): () => number {
    return this[CELLS].own.clock;
  }

  set clock(clock: () => number) {
    this[CELLS].own.clock = requireClock(clock);
  }

  /**
   * Adds a key. One that was added before is kept as if it were new.
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
   * Looks up a key, and if it may be remembered, keeps it as if it were new. A false positive is remembered from then
   * on.
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
   * Forgets the oldest lane, which takes the next keys. This takes a pass over the whole filter, as does each rotation:
   * a few tenths of a second per GiB.
   */
  rotate(): void {
    this[CELLS].rotate();
  }

  /** Estimates how many additions are remembered. A key that was added to several lanes counts for each. */
  override estimateCount(): number {
    return super.estimateCount();
  }
}
