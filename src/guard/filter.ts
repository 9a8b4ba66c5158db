import type { Key } from '../keys/key.ts';
import { mustBe } from '../util/checks/validate.ts';

/**
 * The methods of a filter that a guard needs. `has` must never return false for a key that was added and not removed.
 * So you cannot use filters that forget keys, such as a `RotatingBloomFilter`, a `difference` of two filters, which
 * misses keys, or filters in Redis, which answer with promises.
 */
export interface GuardFilter {
  /** Whether a key may be stored. */
  has(key: Key): boolean;
  /** Adds a key. Without it, the guard's `add` throws. */
  add?(key: Key): unknown;
  /** Removes a key. Without it, the guard's `remove` changes nothing in the filter. */
  remove?(key: Key): unknown;
  /** Remembers that a key which looks present is absent, as `TombstoneFilter` does. */
  exclude?(key: Key): unknown;
  /** The promised share of absent keys that look present, 0 … 1. */
  readonly errorRate?: number;
  /** The number of keys that the filter is made for. A guard with the option `grow` needs it. */
  readonly capacity?: number;
  /** Estimates how many keys the filter holds. A guard with the option `grow` needs it. */
  estimateCount?(): number;
}

/** Whether a filter forgets keys, or is made around filters that forget keys. */
function forgets(filter: unknown): boolean {
  if (typeof (filter as Partial<GuardFilter> | null | undefined)?.has !== 'function') return false;
  // A filter of the user's own may have no constructor.
  const { traits } = ((filter as object).constructor ?? {}) as { traits?: { readonly forgets: boolean } };
  const { base, a, b, old, next } = filter as Partial<Record<'base' | 'a' | 'b' | 'old' | 'next', unknown>>;
  return traits?.forgets === true || [base, a, b, old, next].some(forgets);
}

/** @param grows whether it must tell when it is too small */
export function requireFilter(name: string, filter: GuardFilter, grows: boolean): void {
  if (typeof filter?.has !== 'function') throw new TypeError(mustBe(name, 'a filter', filter));
  if (forgets(filter)) throw new TypeError(mustBe(name, 'a filter that forgets no keys', filter));
  if (grows && !(typeof filter.capacity === 'number' && typeof filter.estimateCount === 'function')) {
    throw new TypeError(mustBe(name, 'a filter with capacity and estimateCount() for options.grow', filter));
  }
}

/** Refuses what is no answer of the user's code, such as a promise, which would pass for true. */
export function requireAnswer(name: string, answer: unknown): boolean {
  if (typeof answer !== 'boolean') throw new TypeError(mustBe(name, 'true or false', answer));
  return answer;
}

/** Refuses the promise of a change that is still to come: until then, the filter would answer without it. */
export function requireDone(name: string, result: unknown): void {
  if (typeof (result as PromiseLike<unknown> | null | undefined)?.then !== 'function') return;
  throw new TypeError(mustBe(name, 'done at once', result));
}
