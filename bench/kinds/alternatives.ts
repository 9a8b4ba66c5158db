// The alternatives to a kind of filter: a `Set`, and a `Map` of times.

import { memoryOf } from '../shared/machine.ts';
import type { Found } from '../shared/measure.ts';
import { ownLoops } from '../shared/own-loops.ts';

/** A filter or collection that holds the keys. */
interface Built {
  find(keys: Uint32Array): Found;
  /** The filter's own estimate of its error rate. */
  readonly errorRate: number;
  dispose(): void;
}

/** A kind of filter, or an alternative. */
export interface Subject {
  readonly name: string;
  /** The least share of its keys that it finds; default 1. */
  readonly finds?: number;
  /** The subject is left out with more keys than this. */
  readonly mostKeys: number;
  build(keys: Uint32Array, errorRate: number): Built;
  /** The memory of the result of `build`, in bytes. */
  bytesOf(keys: Uint32Array, errorRate: number): number;
}

/** The most entries of a `Set` or a `Map`. */
const MOST_IN_SET = 2 ** 24;

interface Collection {
  readonly size: number;
  clear(): void;
}

/** A built-in collection of JavaScript. It takes keys one by one. */
function collection<C extends Collection>(
  name: string,
  fill: (keys: Uint32Array) => C,
  find: (all: C, keys: Uint32Array) => number,
): Subject {
  return {
    name,
    mostKeys: MOST_IN_SET,
    build(keys) {
      const all = fill(keys);
      return { find: (wanted) => find(all, wanted), errorRate: 0, dispose: () => all.clear() };
    },
    bytesOf: (keys) => memoryOf(() => fill(keys)),
  };
}

const inSet = ownLoops<number>('Set of integers');

export const exact: Subject = collection(
  'Set',
  (keys) => {
    const set = new Set<number>();
    inSet.addEach(set, keys);
    return set;
  },
  (set, keys) => inSet.hasEach(set, keys),
);

/**
 * A `Map` from each key to the time when it was added. Lookups ignore keys older than a day. A program would also have
 * to remove these, which is not timed.
 */
export const expiring: Subject = collection(
  'Map of times',
  (keys) => {
    const times = new Map<number, number>();
    const now = Date.now();
    for (let i = 0; i < keys.length; i++) times.set(keys[i] as number, now);
    return times;
  },
  (times, keys) => {
    const oldest = Date.now() - 24 * 60 * 60 * 1000;
    let found = 0;
    for (let i = 0; i < keys.length; i++) if ((times.get(keys[i] as number) ?? 0) > oldest) found++;
    return found;
  },
);
