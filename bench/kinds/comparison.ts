// Times the kinds at one number of keys and one error rate.

import { integer, type Spread, spreadOf } from '../shared/figures.ts';
import { type Calls, type Timing, timeCalls } from '../shared/measure.ts';
import { type KeyLists, makeIntegers } from '../shared/random.ts';
import type { Subject } from './alternatives.ts';
import { subjectsFor } from './subjects.ts';

/** The measurements of a subject. */
export interface KindsResult {
  readonly subject: string;
  readonly keys: number;
  readonly bytes: number;
  /** Nanoseconds per key. */
  readonly build: Spread;
  readonly hit: Spread;
  readonly miss: Spread;
  /** The number of absent keys that were found. As many absent as present keys are looked up. */
  readonly found: number;
  /** The filter's own estimate of its error rate. */
  readonly estimatedErrorRate: number;
}

/** A subject filled with the keys, and its tasks: build, hit and miss. */
interface Entry {
  readonly subject: Subject;
  readonly bytes: number;
  readonly estimatedErrorRate: number;
  readonly tasks: readonly Calls[];
  dispose(): void;
}

function entryOf(subject: Subject, { present, again, absent }: KeyLists<Uint32Array>, errorRate: number): Entry {
  const { length } = present;
  const bytes = subject.bytesOf(present, errorRate);
  // Always filled when a lookup begins, because each build fills it.
  let built = subject.build(present, errorRate);
  const task = (operation: string, run: Calls['run'], least = 0, prepare = (): void => {}): Calls => ({
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
      task('present', () => built.find(again), Math.floor(length * (subject.finds ?? 1))),
      task('absent', () => built.find(absent)),
    ],
    dispose: () => built.dispose(),
  };
}

export interface Comparison {
  readonly keys: number;
  readonly errorRate: number;
  readonly results: readonly KindsResult[];
  /** The subjects left out, because they cannot take so many keys, or not within seconds. */
  readonly overtaxed: readonly Pick<Subject, 'name' | 'mostKeys'>[];
}

/**
 * Measures all subjects that keep the error rate, in the same rounds.
 *
 * @throws BenchmarkError if one does not find a key that it holds
 */
export function compareAll(count: number, errorRate: number, roundCount: number): Comparison {
  const integers = makeIntegers(count);
  const all = subjectsFor(count, errorRate);
  const subjects = all.filter(({ mostKeys }) => mostKeys >= count);
  const overtaxed = all.filter(({ mostKeys }) => mostKeys < count).map(({ name, mostKeys }) => ({ name, mostKeys }));
  const entries = subjects.map((subject) => entryOf(subject, integers, errorRate));
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
  return { keys: count, errorRate, results, overtaxed };
}
