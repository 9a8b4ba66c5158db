// Times the kinds at one number of keys and one error rate.

import { sumOf } from './flags.ts';
import type { Subject } from './kinds-form.ts';
import { subjectsFor } from './kinds-subjects.ts';
import type { Timing } from './measure.ts';
import { makeIntegers } from './rates-keys.ts';
import { type Task, timeCalls } from './rates-rounds.ts';
import { integer } from './report.ts';
import { type Spread, spreadOf } from './statistics.ts';

/** The measurements of a subject. */
export interface KindsResult {
  readonly subject: string;
  readonly keys: number;
  readonly bytes: number;
  /** Nanoseconds per key. */
  readonly build: Spread;
  readonly hit: Spread;
  readonly miss: Spread;
  /** How many absent keys were found, of as many as there are keys. */
  readonly found: number;
  /** The error rate that it has, according to itself. */
  readonly estimatedErrorRate: number;
}

/** A subject that holds the keys, and its tasks: build, hit and miss. */
interface Entry {
  readonly subject: Subject;
  readonly bytes: number;
  readonly estimatedErrorRate: number;
  readonly tasks: readonly Task[];
  dispose(): void;
}

interface Integers {
  readonly present: Uint32Array;
  readonly again: Uint32Array;
  readonly absent: Uint32Array;
}

function entryOf(subject: Subject, integers: Integers, errorRate: number): Entry {
  const { length } = integers.present;
  const [present, again, absent] = [integers.present, integers.again, integers.absent].map((keys) =>
    subject.keysOf(keys),
  );
  const bytes = subject.bytesOf(present, errorRate);
  // It holds the keys whenever a lookup begins: what makes it anew also fills it.
  let built = subject.build(present, errorRate);
  const task = (operation: string, run: Task['run'], least = 0, prepare = (): void => {}): Task => ({
    label: `${subject.name}, ${operation}`,
    keys: length,
    least,
    prepare,
    run,
  });
  const build = (): number => {
    built = subject.build(present, errorRate);
    return length;
  };
  return {
    subject,
    bytes,
    estimatedErrorRate: built.errorRate,
    tasks: [
      task('build', build, length, () => built.dispose()),
      task('present', () => built.find(again), length),
      task('absent', () => built.find(absent)),
    ],
    dispose: () => built.dispose(),
  };
}

/** A subject that does not find all keys that it was given, and is not timed. */
interface Loser {
  readonly subject: string;
  readonly lost: number;
}

export interface Comparison {
  readonly keys: number;
  readonly errorRate: number;
  readonly results: readonly KindsResult[];
  readonly losers: readonly Loser[];
  /** What is left out, because there are more keys than it can take, or takes in seconds. */
  readonly overtaxed: readonly Pick<Subject, 'name' | 'mostKeys'>[];
}

function lostBy(subject: Subject, { present }: Integers, errorRate: number): number {
  const keys = subject.keysOf(present);
  const built = subject.build(keys, errorRate);
  const found = built.find(keys);
  built.dispose();
  return present.length - (typeof found === 'number' ? found : sumOf(found));
}

/**
 * Measures all that keeps the error rate and finds its keys, in the same rounds.
 *
 * @throws MissedKeys if one of ours does not find a key that it holds
 */
export function compareAll(count: number, errorRate: number, roundCount: number): Comparison {
  const integers = makeIntegers(count);
  const all = subjectsFor(errorRate);
  const subjects = all.filter(({ mostKeys }) => mostKeys >= count);
  const overtaxed = all.filter(({ mostKeys }) => mostKeys < count).map(({ name, mostKeys }) => ({ name, mostKeys }));
  const losers = subjects
    .filter(({ isPeer }) => isPeer)
    .map((subject): Loser => ({ subject: subject.name, lost: lostBy(subject, integers, errorRate) }))
    .filter(({ lost }) => lost > 0);
  const sound = subjects.filter(({ name }) => losers.every(({ subject }) => subject !== name));
  const entries = sound.map((subject) => entryOf(subject, integers, errorRate));
  const timings = timeCalls(
    entries.flatMap(({ tasks }) => tasks),
    roundCount,
    `${integer.format(count)} keys at ${errorRate}`,
  );
  const results = entries.map(({ subject, bytes, estimatedErrorRate, dispose }, i) => {
    dispose();
    const [build, hit, miss] = timings.slice(3 * i, 3 * i + 3) as [Timing, Timing, Timing];
    return {
      subject: subject.name,
      keys: count,
      bytes,
      build: spreadOf(build.rounds),
      hit: spreadOf(hit.rounds),
      miss: spreadOf(miss.rounds),
      found: miss.counted,
      estimatedErrorRate,
    };
  });
  return { keys: count, errorRate, results, losers, overtaxed };
}
