// The alternatives to a kind of filter: filters of another package, a `Set`, a `Map` of times.

import { createRequire } from 'node:module';
import { memoryOf } from '../shared/machine.ts';
import type { Found } from '../shared/measure.ts';
import { ownLoops } from '../shared/own-loops.ts';

/** A filter or collection that holds the keys. */
interface Built<Keys> {
  find(keys: Keys): Found;
  /** The filter's own estimate of its error rate. */
  readonly errorRate: number;
  dispose(): void;
}

/** A kind of filter, or an alternative. `Keys` is the type of keys that it takes. */
export interface Subject<Keys = unknown> {
  readonly name: string;
  /** Whether it is the filter of another package, which may lose keys. */
  readonly isPeer?: true;
  /** The least share of its keys that it finds; default 1. */
  readonly finds?: number;
  /** The subject is left out with more keys than this. */
  readonly mostKeys: number;
  /** Makes keys of integers. This is not timed. */
  keysOf(integers: Uint32Array): Keys;
  build(keys: Keys, errorRate: number): Built<Keys>;
  /** The memory of the result of `build`, in bytes. */
  bytesOf(keys: Keys, errorRate: number): number;
}

/** The most entries of a `Set` or a `Map`. */
const MOST_IN_SET = 2 ** 24;
const MOST_FOR_CUCKOO = 100_000;
/**
 * For each key, that filter counts the bits of its last sub-filter: with ten times as many keys, a build takes minutes.
 */
const MOST_FOR_SCALABLE = 10_000;

interface Collection {
  readonly size: number;
  clear(): void;
}

/** A built-in collection of JavaScript. It takes keys one by one. */
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

const inSet = ownLoops<number>('Set of integers');

export const exact: Subject<Uint32Array> = collection(
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

/** Loads the package by a name in a variable, because the project's type checks must not need it. */
function peers(): Peers {
  return createRequire(import.meta.url)('bloom-filters') as Peers;
}

/** A filter of the package `bloom-filters`. It takes strings, one by one. */
function peer(
  name: string,
  mostKeys: number,
  make: (count: number, errorRate: number) => PeerFilter,
): Subject<string[]> {
  const { addEach, hasEach } = ownLoops(`${name} of bloom-filters`);
  const fill = (keys: readonly string[], errorRate: number): PeerFilter => {
    const filter = make(keys.length, errorRate);
    addEach(filter, keys);
    return filter;
  };
  return {
    name: `${name} of bloom-filters`,
    isPeer: true,
    mostKeys,
    // The package takes no numbers.
    keysOf: (integers) => Array.from(integers, String),
    build(keys, errorRate) {
      const filter = fill(keys, errorRate);
      return {
        find: (wanted) => hasEach(filter, wanted),
        errorRate: filter.rate(),
        dispose: () => {},
      };
    },
    bytesOf: (keys, errorRate) => memoryOf(() => fill(keys, errorRate)),
  };
}

const PEER_SLOTS = 4;

/**
 * The number of buckets is a power of two, with which this filter loses the fewest keys: it moves fingerprints to
 * buckets where it does not look for them.
 */
export function cuckooPeer(): Subject<string[]> {
  const { CuckooFilter } = peers();
  return peer('CuckooFilter', MOST_FOR_CUCKOO, (count, errorRate) => {
    const buckets = 2 ** Math.ceil(Math.log2(count / PEER_SLOTS / 0.95));
    return new CuckooFilter(buckets, CuckooFilter.create(count, errorRate).fingerprintLength, PEER_SLOTS);
  });
}

/**
 * @param growth the ratio of the number of keys to the first capacity
 */
export function scalablePeer(growth: number): Subject<string[]> {
  const { ScalableBloomFilter } = peers();
  return peer(
    `ScalableBloomFilter, grown ${growth} ×,`,
    MOST_FOR_SCALABLE,
    (count, errorRate) => new ScalableBloomFilter(Math.ceil(count / growth), errorRate),
  );
}
