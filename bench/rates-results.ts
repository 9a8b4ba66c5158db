// Compares kinds at one error rate.

import type { Timing } from './measure.ts';
import type { KeySet } from './rates-keys.ts';
import { blocked, classic, type Kind } from './rates-kinds.ts';
import { type Task, timeCalls } from './rates-rounds.ts';
import type { Way } from './rates-ways.ts';
import { integer } from './report.ts';
import { ratioOf, type Spread, spreadOf } from './statistics.ts';

/** What is known of an operation of a kind before it is timed. */
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
  /** How many absent keys were found, of as many as there are keys. Undefined for other operations. */
  readonly hits: number | undefined;
}

/** An operation of a kind. */
interface Entry {
  readonly facts: Facts;
  readonly task: Task;
}

/** What to do with filters of a kind. `dispose` gives back the last of them. */
function entriesOf<Keys extends { readonly length: number }>(
  kind: Kind,
  errorRate: number,
  { present, again, absent }: KeySet<Keys>,
  way: Way<Keys>,
): { entries: readonly Entry[]; dispose: () => void } {
  const keys = present.length;
  // Full whenever a lookup begins: what makes it anew also fills it.
  let filter = kind.make(keys, errorRate);
  way.add(kind, filter, present);
  const dispose = (): void => filter.dispose();
  const renew = (): void => {
    dispose();
    filter = kind.make(keys, errorRate);
  };
  const common = { errorRate, keys, kind: kind.name, bytes: filter.byteLength };
  const estimatedErrorRate = filter.estimateErrorRate();
  const entry = (operation: string, run: Task['run'], { least = 0, prepare = () => {} } = {}): Entry => ({
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
 * Measures the kinds, the classic one among them, and returns the results operation by operation. A filter of each kind
 * is in memory at a time.
 */
export function compareKinds<Keys extends { readonly length: number }>(
  kinds: readonly Kind[],
  errorRate: number,
  set: KeySet<Keys>,
  way: Way<Keys>,
  roundCount: number,
): Result[] {
  const subjects = kinds.map((kind) => entriesOf(kind, errorRate, set, way));
  const entries = subjects.flatMap((subject) => subject.entries);
  const timings = timeCalls(
    entries.map(({ task }) => task),
    roundCount,
    `${integer.format(set.present.length)} ${set.name} at ${errorRate}`,
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
