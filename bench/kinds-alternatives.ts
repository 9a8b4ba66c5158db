// What a user would take instead of a kind of filter: filters of another package, a `Set`, a `Map` of times.

import { createRequire } from 'node:module';
import { memoryOf } from './heap.ts';
import type { Subject } from './kinds-form.ts';

/** More entries fit no `Set` and no `Map`. */
const MOST_IN_SET = 2 ** 24;
const MOST_FOR_CUCKOO = 100_000;
/**
 * Each key that it is given makes it count the bits of its last slice: with ten times as many, a build takes minutes.
 */
const MOST_FOR_SCALABLE = 10_000;

interface Collection {
  readonly size: number;
  clear(): void;
}

/** A collection of JavaScript's own. It takes keys one by one. */
function collection<C extends Collection>(
  name: string,
  fill: (keys: Uint32Array) => C,
  find: (all: C, keys: Uint32Array) => number,
): Subject<Uint32Array> {
  return {
    name,
    mostKeys: MOST_IN_SET,
    keysOf: (integers) => integers,
    build(keys) {
      const all = fill(keys);
      return { find: (wanted) => find(all, wanted), errorRate: 0, dispose: () => all.clear() };
    },
    bytesOf: (keys) => memoryOf(() => fill(keys)),
  };
}

export const exact: Subject<Uint32Array> = collection(
  'Set',
  (keys) => {
    const set = new Set<number>();
    for (let i = 0; i < keys.length; i++) set.add(keys[i] as number);
    return set;
  },
  (set, keys) => {
    let found = 0;
    for (let i = 0; i < keys.length; i++) if (set.has(keys[i] as number)) found++;
    return found;
  },
);

/**
 * A `Map` from each key to the time at which it came. Lookups ignore keys older than a day. A program would also have
 * to remove those, which is not timed.
 */
export const expiring: Subject<Uint32Array> = collection(
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

interface PeerFilter {
  add(key: string): unknown;
  has(key: string): boolean;
  rate(): number;
}

interface PeerCuckoo extends PeerFilter {
  readonly fingerprintLength: number;
}

interface Peers {
  readonly CuckooFilter: {
    new (buckets: number, fingerprintLength: number, slots: number): PeerCuckoo;
    create(capacity: number, errorRate: number): PeerCuckoo;
  };
  readonly ScalableBloomFilter: new (capacity: number, errorRate: number) => PeerFilter;
}

/** The package, by its name, because the project's own checks must not need it. */
function peers(): Peers {
  return createRequire(import.meta.url)('bloom-filters') as Peers;
}

/** A filter of the package `bloom-filters`. It takes strings, one by one. */
function peer(
  name: string,
  mostKeys: number,
  make: (count: number, errorRate: number) => PeerFilter,
): Subject<string[]> {
  const fill = (keys: readonly string[], errorRate: number): PeerFilter => {
    const filter = make(keys.length, errorRate);
    for (let i = 0; i < keys.length; i++) filter.add(keys[i] as string);
    return filter;
  };
  return {
    name: `${name} of bloom-filters`,
    isPeer: true,
    mostKeys,
    // It takes no numbers.
    keysOf: (integers) => Array.from(integers, String),
    build(keys, errorRate) {
      const filter = fill(keys, errorRate);
      return {
        find(wanted) {
          let found = 0;
          for (let i = 0; i < wanted.length; i++) if (filter.has(wanted[i] as string)) found++;
          return found;
        },
        errorRate: filter.rate(),
        dispose: () => {},
      };
    },
    bytesOf: (keys, errorRate) => memoryOf(() => fill(keys, errorRate)),
  };
}

const PEER_SLOTS = 4;

/**
 * With a power of two as the number of buckets it loses the fewest keys: those whose fingerprints it has moved to a
 * bucket where it does not look for them.
 */
export function cuckooPeer(): Subject<string[]> {
  const { CuckooFilter } = peers();
  return peer('CuckooFilter', MOST_FOR_CUCKOO, (count, errorRate) => {
    const buckets = 2 ** Math.ceil(Math.log2(count / PEER_SLOTS / 0.95));
    return new CuckooFilter(buckets, CuckooFilter.create(count, errorRate).fingerprintLength, PEER_SLOTS);
  });
}

/** @param growth how many times its first capacity it holds in the end */
export function scalablePeer(growth: number): Subject<string[]> {
  const { ScalableBloomFilter } = peers();
  return peer(
    `ScalableBloomFilter, grown ${growth} ×,`,
    MOST_FOR_SCALABLE,
    (count, errorRate) => new ScalableBloomFilter(Math.ceil(count / growth), errorRate),
  );
}
