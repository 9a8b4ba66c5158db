// Times calls alone, in rounds like those of measure.ts. That times whole tasks: to make a filter and to count flags
// would be a good part of them here.

import { randomFrom } from '../test/random.ts';
import { sumOf } from './flags.ts';
import { collectGarbage } from './heap.ts';
import type { Timing } from './measure.ts';
import { MissedKeys } from './results.ts';
import { shuffle } from './shuffle.ts';
import { status } from './status.ts';

/** In a round each task gets this much time, in turns of at least so much. */
const SAMPLE_MILLISECONDS = 50;
const TURN_MILLISECONDS = 5;
const SEED = 1970;

/** Something to be timed. */
export interface Task {
  readonly label: string;
  /** The number of keys that it handles. */
  readonly keys: number;
  /** How many keys it must find. */
  readonly least: number;
  /** Comes before each run, and is not timed. */
  prepare(): void;
  /** Returns how many keys were added or found, or their flags, which are counted when the time has been taken. */
  run(): number | Uint8Array;
}

/** The runs of a task in one round. */
class Sample {
  milliseconds = 0;
  runs = 0;
  counted = Number.NaN;
  readonly task: Task;

  constructor(task: Task) {
    this.task = task;
  }

  /** Takes a turn. Throws an Error if the count differs from that of other runs. */
  continue(): void {
    const { label, least } = this.task;
    // What other tasks have left behind, large filters above all, is not to be collected while this one runs.
    if (this.runs === 0) collectGarbage();
    const end = this.milliseconds + TURN_MILLISECONDS;
    while (this.milliseconds < end) {
      this.task.prepare();
      const start = performance.now();
      const result = this.task.run();
      this.milliseconds += performance.now() - start;
      this.runs++;
      const counted = typeof result === 'number' ? result : sumOf(result);
      if (counted < least) throw new MissedKeys(`${label}: found ${counted} of ${least} present keys`);
      if (this.runs > 1 && counted !== this.counted) throw new Error(`the count of ${label} differs`);
      this.counted = counted;
    }
  }

  get nanosecondsPerKey(): number {
    return (1e6 * this.milliseconds) / (this.runs * this.task.keys);
  }
}

/**
 * Runs all tasks once, or in turns if they are short: other work on the machine comes in spells of a fraction of a
 * second, which must hit all alike.
 */
function roundOf(tasks: readonly Task[], random: (limit: number) => number): Sample[] {
  const samples = tasks.map((task) => new Sample(task));
  for (let left = samples; left.length > 0; ) {
    for (const sample of shuffle([...left], random)) sample.continue();
    left = left.filter(({ milliseconds }) => milliseconds < SAMPLE_MILLISECONDS);
  }
  return samples;
}

/**
 * Times the tasks in rounds. Each round runs all tasks in a new order; the first round only warms up.
 *
 * @throws MissedKeys if present keys are not found
 * @throws Error if a task's count differs between runs
 */
export function timeCalls(tasks: readonly Task[], rounds: number, what: string): Timing[] {
  const random = randomFrom(SEED);
  status(`${what}: warming up …`);
  const timings = roundOf(tasks, random).map(({ counted }) => ({ rounds: [] as number[], counted }));
  for (let round = 1; round <= rounds; round++) {
    status(`${what}: round ${round} of ${rounds} …`);
    for (const [index, { task, counted, nanosecondsPerKey }] of roundOf(tasks, random).entries()) {
      const timing = timings[index] as (typeof timings)[number];
      if (counted !== timing.counted) throw new Error(`${what}: the count of ${task.label} differs`);
      timing.rounds.push(nanosecondsPerKey);
    }
  }
  return timings;
}
