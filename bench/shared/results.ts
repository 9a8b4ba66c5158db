// Compares subjects on sets of keys, and finds where ours lose.

import { BenchmarkError } from './cli.ts';
import { figuresOf, ratioOf, type Spread } from './figures.ts';
import type { Batch, KeySet } from './keys.ts';
import { collectGarbage, type Machine } from './machine.ts';
import { measure, type Task } from './measure.ts';
import type { Filled, Subject } from './subjects.ts';

export const operations = ['build', 'hit', 'miss'] as const;
export type Operation = (typeof operations)[number];

/** The measurements of one operation of one subject on one set of keys. */
export interface Result {
  readonly keys: number;
  readonly set: string;
  readonly operation: Operation;
  readonly subject: string;
  readonly mode: Subject['mode'];
  readonly ours: boolean;
  /** Nanoseconds per key in each round. */
  readonly rounds: readonly number[];
  /** By these all subjects of the set are compared: see `figuresOf`. */
  readonly nanoseconds: Spread;
  /** How many times as fast as the baseline; below 1 is slower. */
  readonly speedup: Spread;
  /** The share of absent keys that were found; `expectedFalsePositives` is what theory says. */
  readonly falsePositives: number;
  readonly expectedFalsePositives: number;
  /** The memory of the filter, or of the Set's own table. */
  readonly bytes: number;
}

export interface Report {
  readonly machine: Machine;
  readonly errorRate: number;
  readonly roundCount: number;
  readonly baseline: string;
  readonly results: readonly Result[];
  /** Subjects that were left out, and why. */
  readonly notes: readonly string[];
}

/** Looks up keys that are all present, and returns their number. Throws BenchmarkError if one is not found. */
export function found(subject: Subject, filled: Filled, keys: Batch, set: string): number {
  const count = filled.find(keys);
  if (count === keys.count) return count;
  throw new BenchmarkError(`${subject.name} (${subject.mode}) found ${count} of ${keys.count} present ${set}`);
}

/** An operation of a subject on a set of keys. */
interface Entry extends Pick<Result, 'keys' | 'operation' | 'falsePositives' | 'bytes'> {
  readonly subject: Subject;
  readonly set: KeySet;
  readonly filled: Filled;
  run(): number;
}

function entriesOf(subject: Subject, set: KeySet): Entry[] {
  const { present, again, absent } = set;
  const keys = present.count;
  const filled = subject.build(present);
  const facts = {
    subject,
    set,
    filled,
    keys,
    falsePositives: filled.find(absent) / absent.count,
    bytes: filled.bytes(),
  };
  const build = (): number => {
    subject.build(present).dispose();
    return keys;
  };
  return [
    { ...facts, operation: 'build', run: build },
    { ...facts, operation: 'hit', run: () => found(subject, filled, again, set.name) },
    { ...facts, operation: 'miss', run: () => filled.find(absent) },
  ];
}

function taskOf({ subject, set, keys, operation, run }: Entry): Task {
  return { label: `${set.name} ${subject.name} ${subject.mode} ${operation}`, keys, prepare: set.prepare, run };
}

/**
 * Measures the subjects on sets with equal numbers of keys, all in the same rounds. Speeds are relative to the subject
 * named `baseline`.
 */
export function compare(
  subjects: readonly Subject[],
  sets: readonly KeySet[],
  rounds: number,
  baseline: string,
): Result[] {
  const entries = sets.flatMap((set) => subjects.flatMap((subject) => entriesOf(subject, set)));
  const what = `${sets.map(({ name }) => name).join(' and ')}, ${entries[0]?.keys} keys`;
  const timings = measure(entries.map(taskOf), rounds, what, () => {
    for (const { present, again, absent } of sets) for (const batch of [present, again, absent]) batch.renew();
    // Otherwise only tasks that allocate would pay for collecting the garbage of renewing the keys.
    collectGarbage();
  });
  for (const filled of new Set(entries.map((entry) => entry.filled))) filled.dispose();

  const roundsOf = (entry: Entry): readonly number[] => timings[entries.indexOf(entry)]?.rounds ?? [];
  return entries.map((entry) => {
    const { subject, set, filled, keys, operation, falsePositives, bytes } = entry;
    const rivals = entries.filter((other) => other.set === set && other.operation === operation);
    const figures = figuresOf(rivals.map(roundsOf));
    const base = rivals.findIndex((other) => other.subject.name === baseline);
    const time = figures[rivals.indexOf(entry)] as Spread;
    return {
      keys,
      set: set.name,
      operation,
      subject: subject.name,
      mode: subject.mode,
      ours: subject.ours,
      rounds: roundsOf(entry),
      nanoseconds: time,
      speedup: {
        ...ratioOf(roundsOf(entry), roundsOf(rivals[base] as Entry)),
        median: (figures[base] as Spread).median / time.median,
      },
      falsePositives,
      expectedFalsePositives: filled.expectedErrorRate,
      bytes,
    };
  });
}

/** A result of ours, a faster result of another subject, and the factor between them. */
export interface Loss {
  readonly result: Result;
  readonly to: Result;
  readonly times: number;
}

/** Whether `other` is a rival of `one`: another subject, or single calls of the same filter. */
function isRival(one: Result, other: Result): boolean {
  if (one.keys !== other.keys || one.set !== other.set || one.operation !== other.operation) return false;
  return !other.ours || (one.subject === other.subject && one.mode === 'batch' && other.mode === 'single');
}

/** All cases where one of ours is slower than a rival. */
export function lossesOf(results: readonly Result[]): Loss[] {
  return results
    .filter(({ ours }) => ours)
    .flatMap((result) =>
      results
        .filter((other) => isRival(result, other))
        .map((to) => ({ result, to, times: result.nanoseconds.median / to.nanoseconds.median })),
    )
    .filter(({ times }) => times > 1);
}
