// What `npm run bench:kinds` compares: every kind of filter, and what a user would take otherwise. A new kind is one
// more row.

import { createRequire } from 'node:module';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter, type Filter } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { heapOf } from './heap.ts';

/** What holds the keys. */
interface Built<Keys> {
  /** Returns how many keys look present, or their flags. */
  find(keys: Keys): number | Uint8Array;
  /** The error rate that it has, according to itself. */
  readonly errorRate: number;
  dispose(): void;
}

/** `Keys` is the form in which it takes keys. */
export interface Subject<Keys = unknown> {
  readonly name: string;
  /** Whether it is the filter of another package, which may lose keys. */
  readonly isPeer?: true;
  /** With more keys than this, it is left out. */
  readonly mostKeys: number;
  /** Makes keys of integers. This is not timed. */
  keysOf(integers: Uint32Array): Keys;
  build(keys: Keys, errorRate: number): Built<Keys>;
  /** The memory of what `build` makes. */
  bytesOf(keys: Keys, errorRate: number): number;
}

const MOST_KEYS = 1e8;
/** More entries fit no `Set`. */
const MOST_IN_SET = 2 ** 24;
const MOST_FOR_PEER = 100_000;

type Make = (keys: Uint32Array, errorRate: number) => Filter;

/** A kind of filter. It takes batches. */
function kind(name: string, make: Make): Subject<Uint32Array> {
  let flags = new Uint8Array(0);
  return {
    name,
    mostKeys: MOST_KEYS,
    keysOf: (integers) => integers,
    build(keys, errorRate) {
      if (flags.length !== keys.length) flags = new Uint8Array(keys.length);
      const filter = make(keys, errorRate);
      return {
        find: (wanted) => filter.hasMany(wanted, flags),
        errorRate: filter.estimateErrorRate(),
        dispose: () => filter.dispose(),
      };
    },
    bytesOf(keys, errorRate) {
      const filter = make(keys, errorRate);
      const { byteLength } = filter;
      filter.dispose();
      return byteLength;
    },
  };
}

function setOf(keys: Uint32Array): Set<number> {
  const set = new Set<number>();
  for (let i = 0; i < keys.length; i++) set.add(keys[i] as number);
  return set;
}

const exact: Subject<Uint32Array> = {
  name: 'Set',
  mostKeys: MOST_IN_SET,
  keysOf: (integers) => integers,
  build(keys) {
    const set = setOf(keys);
    return {
      find(wanted) {
        let found = 0;
        for (let i = 0; i < wanted.length; i++) if (set.has(wanted[i] as number)) found++;
        return found;
      },
      errorRate: 0,
      dispose: () => set.clear(),
    };
  },
  bytesOf: (keys) => heapOf(() => setOf(keys)),
};

interface PeerFilter {
  readonly fingerprintLength: number;
  add(key: string): boolean;
  has(key: string): boolean;
  rate(): number;
}

interface PeerClass {
  new (buckets: number, fingerprintLength: number, slots: number): PeerFilter;
  create(capacity: number, errorRate: number): PeerFilter;
}

const PEER_SLOTS = 4;

/**
 * The cuckoo filter of `bloom-filters`. With a power of two as the number of buckets it loses the fewest keys: those
 * whose fingerprints it has moved to a bucket where it does not look for them.
 */
function peer(): Subject<string[]> {
  // By name, because the project's own checks must not need it.
  const { CuckooFilter: Peer } = createRequire(import.meta.url)('bloom-filters') as { CuckooFilter: PeerClass };
  const make = (keys: readonly string[], errorRate: number): PeerFilter => {
    const buckets = 2 ** Math.ceil(Math.log2(keys.length / PEER_SLOTS / 0.95));
    const filter = new Peer(buckets, Peer.create(keys.length, errorRate).fingerprintLength, PEER_SLOTS);
    for (let i = 0; i < keys.length; i++) filter.add(keys[i] as string);
    return filter;
  };
  return {
    name: 'CuckooFilter of bloom-filters',
    isPeer: true,
    mostKeys: MOST_FOR_PEER,
    // It takes no numbers.
    keysOf: (integers) => Array.from(integers, String),
    build(keys, errorRate) {
      const filter = make(keys, errorRate);
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
    bytesOf: (keys, errorRate) => heapOf(() => make(keys, errorRate)),
  };
}

/** What keeps an error rate, and has room for its keys. */
export function subjectsFor(count: number, errorRate: number): readonly Subject[] {
  const all = [
    kind('BloomFilter', (keys, rate) => BloomFilter.from(keys, { errorRate: rate })),
    ...(errorRate >= 1e-5
      ? [kind('BlockedBloomFilter', (keys, rate) => BlockedBloomFilter.from(keys, { errorRate: rate }))]
      : []),
    kind('WideBlockedBloomFilter', (keys, rate) => WideBlockedBloomFilter.from(keys, { errorRate: rate })),
    kind('CountingBloomFilter', (keys, rate) => CountingBloomFilter.from(keys, { errorRate: rate })),
    kind('CuckooFilter', (keys, rate) => CuckooFilter.from(keys, { errorRate: rate })),
    kind('ScalableBloomFilter, grown 7 ×', (keys, rate) =>
      new ScalableBloomFilter({ capacity: Math.ceil(keys.length / 7), errorRate: rate }).addMany(keys),
    ),
    ...(errorRate >= 4e-5
      ? [kind('RotatingBloomFilter', (keys, rate) => RotatingBloomFilter.from(keys, { errorRate: rate }))]
      : []),
    kind('BinaryFuseFilter', (keys, rate) => BinaryFuseFilter.from(keys, { errorRate: rate })),
    peer(),
    exact,
  ] as readonly Subject[];
  return all.filter(({ mostKeys }) => count <= mostKeys);
}
