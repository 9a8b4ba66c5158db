import type { GuardFilter } from '../../src/entries/guard.ts';
import { BloomFilter } from '../../src/index.ts';

/** A promise that is settled from outside. */
export function later<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}

export const names = ['ada', 'grace', 'joan'];
export const filterOf = (keys: readonly string[]): BloomFilter =>
  BloomFilter.from(keys, { capacity: 100, errorRate: 1e-9 });
/** A filter that lets everything through. */
export const open: GuardFilter = { has: () => true };

/** A filter that excludes known errors, as a TombstoneFilter does. */
export class Excluding implements GuardFilter {
  readonly excluded = new Set<unknown>();
  has = (key: unknown): boolean => !this.excluded.has(key);
  add = (key: unknown): boolean => this.excluded.delete(key);
  exclude = (key: unknown): void => void this.excluded.add(key);
}
