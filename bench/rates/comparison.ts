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

/** The facts about an operation of a kind that need no timing. */
interface Facts {
  readonly errorRate: number;
  readonly keys: number;
  readonly kind: string;
  readonly bytes: number;
  readonly operation: string;
  /** The filter's own estimate of its error rate when full. */
  readonly estimatedErrorRate: number;
}

/** The measurements of an operation of a kind. */
export interface Result extends Facts {
  /** Nanoseconds per key in each round. */
  readonly rounds: readonly number[];
  readonly nanoseconds: Spread;
  /** How many times as fast as the classic filter; below 1 is slower. */
  readonly timesClassic: Spread;
  /** How many times as fast as the blocked filter, if that takes part. */
  readonly timesBlocked: Spread | undefined;
  /** The number of absent keys found, of as many as there are present keys. Undefined for other operations. */
  readonly hits: number | undefined;
}

/** An operation of a kind. */
interface Entry {
  readonly facts: Facts;
  readonly task: Calls;
}

/** The operations on filters of a kind. `dispose` frees the last filter. */
function entriesOf<Keys extends { readonly length: number }>(
  kind: Kind,
  errorRate: number,
  { present, again, absent }: KeyLists<Keys>,
  way: Way<Keys>,
): { entries: readonly Entry[]; dispose: () => void } {
  const keys = present.length;
  // Always full when a lookup begins, because each build fills it.
  let filter = kind.make(keys, errorRate);
  way.add(kind, filter, present);
  const dispose = (): void => filter.dispose();
  const renew = (): void => {
    dispose();
    filter = kind.make(keys, errorRate);
  };
  const common = { errorRate, keys, kind: kind.name, bytes: filter.byteLength };
  const estimatedErrorRate = filter.estimateErrorRate();
  const entry = (operation: string, run: Calls['run'], { least = 0, prepare = () => {} } = {}): Entry => ({
    facts: { ...common, operation, estimatedErrorRate },
    task: { label: `${kind.name}, ${operation}`, keys, least, prepare, run },
  });
  const [add, hit, miss] = way.labels;
  const entries = [
    entry(add, () => way.add(kind, filter, present), { prepare: renew }),
    entry(hit, () => way.has(kind, filter, again), { least: keys }),
    entry(miss, () => way.has(kind, filter, absent)),
  ];
  return { entries, dispose };
}

/**
 * Measures the kinds, the classic one among them, and returns the results operation by operation. One filter of each
 * kind is in memory at a time.
 */
export function compareKinds<Keys extends { readonly length: number }>(
  kinds: readonly Kind[],
  errorRate: number,
  lists: KeyLists<Keys>,
  way: Way<Keys>,
  roundCount: number,
): Result[] {
  const subjects = kinds.map((kind) => entriesOf(kind, errorRate, lists, way));
  const entries = subjects.flatMap((subject) => subject.entries);
  const timings = timeCalls(
    entries.map(({ task }) => task),
    roundCount,
    `${integer.format(lists.present.length)} ${way.keys} at ${errorRate}`,
  );
  for (const { dispose } of subjects) dispose();

  const [, , miss] = way.labels;
  const roundsOf = (kind: string, operation: string): readonly number[] | undefined =>
    timings[entries.findIndex(({ facts }) => facts.kind === kind && facts.operation === operation)]?.rounds;
  const results = entries.map(({ facts }, index): Result => {
    const { rounds, counted } = timings[index] as Timing;
    const ofBlocked = roundsOf(blocked.name, facts.operation);
    return {
      ...facts,
      rounds,
      nanoseconds: spreadOf(rounds),
      timesClassic: ratioOf(rounds, roundsOf(classic.name, facts.operation) ?? []),
      timesBlocked: ofBlocked && ratioOf(rounds, ofBlocked),
      hits: facts.operation === miss ? counted : undefined,
    };
  });
  return way.labels.flatMap((label) => results.filter(({ operation }) => operation === label));
}
