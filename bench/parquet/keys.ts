// The keys of the benchmark: strings and 64-bit integers, in the forms that the filters take.

import type { Keys } from 'bloomery';
import { requireSet } from '../shared/keys.ts';
import { seeded, shuffle } from '../shared/random.ts';

/** Keys for one call with all of them, and for one call each. */
export interface Batch {
  readonly count: number;
  readonly many: Keys;
  readonly each: ArrayLike<string | number>;
}

export interface KeySet {
  readonly name: 'strings' | 'int64';
  readonly about: string;
  /** The keys that are added, the same in another order, and as many that are not added. */
  readonly present: Batch;
  readonly again: Batch;
  readonly absent: Batch;
}

/** Names of npm packages. */
export function strings(count: number): KeySet {
  const { present, again, absent } = requireSet('names', count);
  const batch = ({ many, each }: typeof present): Batch => ({ count, many, each: each() as ArrayLike<string> });
  return {
    name: 'strings',
    about: 'names of npm packages, 20 characters on average',
    present: batch(present),
    again: batch(again),
    absent: batch(absent),
  };
}

/** What each integer is a multiple of, so that most take more than 32 bits. */
const STEP = 1_000_003;

/**
 * Integers of up to 53 bits. For one call each they are numbers, which the other packages read faster than BigInts.
 */
export function integers(count: number): KeySet {
  const from = (first: number): number[] => Array.from({ length: count }, (_, i) => STEP * (first + i));
  const batch = (list: number[]): Batch => ({ count, many: BigInt64Array.from(list, BigInt), each: list });
  return {
    name: 'int64',
    about: 'integers of up to 53 bits: a BigInt64Array in batches, numbers in single calls',
    present: batch(from(0)),
    again: batch(shuffle(from(0), seeded())),
    absent: batch(from(count)),
  };
}
