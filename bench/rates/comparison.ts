// Compares kinds at one error rate, in batches and in single calls.

import { BlockedBloomFilter, BloomFilter, type GrowingFilter } from 'bloomery';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { integer, ratioOf, type Spread, spreadOf } from '../shared/figures.ts';
import { type Calls, type Timing, timeCalls } from '../shared/measure.ts';
import { type OwnLoops, ownLoops } from '../shared/own-loops.ts';
import type { KeyLists } from '../shared/random.ts';

export interface Kind extends OwnLoops {
  readonly name: string;
  make(capacity: number, errorRate: number): GrowingFilter;
}

function kindOf(Class: new (options: { capacity: number; errorRate: number }) => GrowingFilter): Kind {
  const { name } = Class;
  return { name, make: (capacity, errorRate) => new Class({ capacity, errorRate }), ...ownLoops(name) };
}

export const classic: Kind = kindOf(BloomFilter);
export const blocked: Kind = kindOf(BlockedBloomFilter);
export const wide: Kind = kindOf(WideBlockedBloomFilter);

/** One of two ways to call filters. */
interface Way<Keys> {
  /** What the keys are. */
  readonly keys: string;
  /** The operations: adding keys, looking up present ones, looking up absent ones. */
  readonly labels: readonly [add: string, hit: string, miss: string];
  /** Adds keys. Returns how many. */
  add(kind: Kind, filter: GrowingFilter, keys: Keys): number;
  /** Looks up keys. Returns how many were found, or their flags. */
  has(kind: Kind, filter: GrowingFilter, keys: Keys): number | Uint8Array;
}

/** One call for all keys. `out` must have room for a flag per key. */
export function inBatches(out: Uint8Array): Way<Uint32Array> {
  return {
    keys: 'integers',
    labels: ['addMany', 'hasMany, present', 'hasMany, absent'],
    add(_, filter, keys) {
      filter.addMany(keys);
      return keys.length;
    },
    has: (_, filter, keys) => filter.hasMany(keys, out),
  };
}

/** One call for each key. */
export const callByCall: Way<readonly string[]> = {
  keys: 'names',
  labels: ['add', 'has, present', 'has, absent'],
  add: (kind, filter, keys) => kind.addEach(filter, keys),
  has: (kind, filter, keys) => kind.hasEach(filter, keys),
};

/** The measurements of an operation of a kind. */
export interface Result {
  readonly errorRate: number;
  readonly keys: number;
  readonly kind: string;
  readonly bytes: number;
  readonly operation: string;
  /** The filter's own estimate of its error rate when full. */
  readonly estimatedErrorRate: number;
  /** Nanoseconds per key. */
  readonly nanoseconds: Spread;
  /** How many times as fast as the classic filter; below 1 is slower. */
  readonly timesClassic: Spread;
  /** How many times as fast as the blocked filter, if that takes part. */
  readonly timesBlocked: Spread | undefined;
  /** The number of absent keys found, of as many as there are present keys. Undefined for other operations. */
  readonly hits: number | undefined;
}

/** An operation on the filter of a kind, which is in memory while all are measured. */
interface Entry {
  readonly kind: Kind;
  readonly operation: string;
  readonly filter: () => GrowingFilter;
  readonly calls: Calls;
}

function entriesOf<Keys extends { readonly length: number }>(
  kind: Kind,
  errorRate: number,
  { present, again, absent }: KeyLists<Keys>,
  way: Way<Keys>,
): Entry[] {
  const keys = present.length;
  // Always full when a lookup begins, because each build fills it.
  let filter = kind.make(keys, errorRate);
  way.add(kind, filter, present);
  const renew = (): void => {
    filter.dispose();
    filter = kind.make(keys, errorRate);
  };
  const entry = (operation: string, run: Calls['run'], least = 0, prepare = (): void => {}): Entry => {
    const calls = { label: `${kind.name}, ${operation}`, keys, least, prepare, run };
    return { kind, operation, filter: () => filter, calls };
  };
  const [add, hit, miss] = way.labels;
  return [
    entry(add, () => way.add(kind, filter, present), 0, renew),
    entry(hit, () => way.has(kind, filter, again), keys),
    entry(miss, () => way.has(kind, filter, absent)),
  ];
}

/** Measures the kinds, the classic one among them, and returns the results operation by operation. */
export function compareKinds<Keys extends { readonly length: number }>(
  kinds: readonly Kind[],
  errorRate: number,
  lists: KeyLists<Keys>,
  way: Way<Keys>,
  roundCount: number,
): Result[] {
  const keys = lists.present.length;
  const entries = kinds.flatMap((kind) => entriesOf(kind, errorRate, lists, way));
  const timings = timeCalls(
    entries.map(({ calls }) => calls),
    roundCount,
    `${integer.format(keys)} ${way.keys} at ${errorRate}`,
  );
  const roundsOf = (kind: Kind, operation: string): readonly number[] | undefined =>
    timings[entries.findIndex((each) => each.kind === kind && each.operation === operation)]?.rounds;
  const results = entries.map(({ kind, operation, filter }, index): Result => {
    const { rounds, counted } = timings[index] as Timing;
    const ofBlocked = roundsOf(blocked, operation);
    return {
      ...{ errorRate, keys, kind: kind.name, bytes: filter().byteLength, operation },
      estimatedErrorRate: filter().estimateErrorRate(),
      nanoseconds: spreadOf(rounds),
      timesClassic: ratioOf(rounds, roundsOf(classic, operation) ?? []),
      timesBlocked: ofBlocked && ratioOf(rounds, ofBlocked),
      hits: operation === way.labels[2] ? counted : undefined,
    };
  });
  for (const { filter } of entries) filter().dispose();
  return way.labels.flatMap((label) => results.filter(({ operation }) => operation === label));
}
