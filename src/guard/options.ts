// What users give a guard, and what it tells them.

import type { Key } from '../keys/key.ts';
import type { GuardFilter } from './filter.ts';
import type { Growth } from './growth.ts';
import type { MeasuredRate } from './rate.ts';

/** The options of one `get`. */
export interface GetOptions {
  /** Stops waiting, with the signal's reason. The load is aborted when nobody waits for it any more. */
  signal?: AbortSignal | undefined;
}

/** What `load` gets besides the key. */
export interface LoadOptions {
  /** Aborted once nobody waits for the value. */
  readonly signal: AbortSignal;
}

/**
 * Loads the value of a key from the store. It may return the value or a promise, which must not wait for a `get` of the
 * same key: that waits for this load.
 */
export type Load<K extends Key, V> = (key: K, options: LoadOptions) => V | Promise<V>;

/** The options of a guard. */
export interface GuardOptions<V, F extends GuardFilter> {
  /** Whether a loaded value means that the key is not stored; by default, if it is `undefined` or `null`. */
  isAbsent?: ((value: V) => boolean) | undefined;
  /** Makes a filter of all stored keys, for the guard's `rebuild`. It may take any time. */
  rebuild?: (() => F | Promise<F>) | undefined;
  /**
   * Makes a filter of all stored keys, with room for at least `capacity` keys. The guard calls it when the filter holds
   * more keys than its capacity, and so errs too often, or has no room for a key. It may take any time.
   */
  grow?: ((capacity: number) => F | Promise<F>) | undefined;
  /** Called after each attempt to grow, whether it succeeded or failed. What it throws is an unhandled rejection. */
  onGrow?: ((growth: Growth<F>) => void) | undefined;
  /**
   * Called once per filter if it errs more than twice as often as its `errorRate`: after ten errors or more, when the
   * lower end of the interval is above twice that rate. Then the filter is overfull, or somebody asks for chosen keys.
   * What it throws is an uncaught exception.
   */
  onRate?: ((measured: MeasuredRate) => void) | undefined;
}

/** What a guard has counted since it was made. `asked` is the sum of `rejected`, `shared` and `loaded`. */
export interface GuardStats {
  /** Calls of `get`, except those with a wrong key or a signal that was already aborted. */
  readonly asked: number;
  /** Keys that the filter ruled out, without a load. */
  readonly rejected: number;
  /** Calls that joined a load of the same key. */
  readonly shared: number;
  /** Calls of `load`. */
  readonly loaded: number;
  /** Loads that found a value. */
  readonly truePositives: number;
  /** Loads that found nothing: the filter let the key through, but it is not stored. */
  readonly falsePositives: number;
  /** Loads that failed or were aborted. */
  readonly failed: number;
}
