import type { GuardFilter } from './guard/filter.ts';
import { Guard } from './guard/guard.ts';
import type { GuardOptions, Load } from './guard/options.ts';
import type { Key } from './keys/key.ts';

export type { GuardFilter } from './guard/filter.ts';
export type { Growth } from './guard/growth.ts';
export type { Guard } from './guard/guard.ts';
export { FilterHandover, type HandoverOptions, type Successor } from './guard/handover.ts';
export type { GetOptions, GuardOptions, GuardStats, Load, LoadOptions } from './guard/options.ts';
export type { MeasuredRate } from './guard/rate.ts';

/**
 * Puts a filter in front of a slow store, such as a database: a key that the filter rules out costs no lookup. It
 * counts what the filter is worth, lets concurrent calls for a key share one load, and can replace the filter while
 * requests run. It caches no values.
 *
 * ```ts
 * const users = guard(filter, (name: string, { signal }) => database.find(name, signal));
 * await users.get('ada'); // undefined without a load, if the filter says that there is no ada
 * users.measuredRate; // { absent: 51234, rate: 0.0098, interval: [0.0090, 0.0107] }
 * ```
 *
 * **Every stored key must be in the filter.** So add a key, by the guard's `add`, before the store commits it.
 *
 * @param filter a filter of all stored keys, of any kind
 * @param load returns the value of a key, or a promise of it; `undefined` or `null` if the key is not stored
 * @throws TypeError if `filter` is not a filter, `load` not a function, or an option of another type
 */
export function guard<K extends Key, V, F extends GuardFilter>(
  filter: F,
  load: Load<K, V>,
  options: GuardOptions<V, F> = {},
): Guard<K, V, F> {
  return new Guard(filter, load, options);
}
