// Two ways to time tasks in rounds: whole tasks, or calls alone.

import { Bench } from 'tinybench';
import { BenchmarkError, inRounds } from './cli.ts';
import { sumOf } from './figures.ts';
import { collectGarbage } from './machine.ts';
import { type Random, seeded, shuffle } from './random.ts';

/** With fewer keys than this, a whole task is repeated until a sample takes MIN_SAMPLE_MILLISECONDS. */
const ENOUGH_KEYS = 1_000_000;
const MIN_SAMPLE_MILLISECONDS = 20;
/** The time of each task in a round, and the least time of a turn. */
const CALLS_MILLISECONDS = 50;
const TURN_MILLISECONDS = 5;

/** The measurements of a task. */
export interface Timing {
  /** Nanoseconds per key in each round. */
  readonly rounds: readonly number[];
  /** How many keys were added or found. */
  readonly counted: number;
}

/** A task in one round. */
interface Sample {
  readonly task: Pick<Task, 'label'>;
  readonly nanosecondsPerKey: number;
  readonly counted: number;
}

/**
 * Gathers the samples of all rounds. `roundOf` returns the samples of one round, in the order of the tasks.
 *
 * @throws Error if a task's count differs between rounds
 */
function gather(rounds: number, what: string, roundOf: () => readonly Sample[]): Timing[] {
  const timings: { readonly rounds: number[]; readonly counted: number }[] = [];
  for (const round of inRounds(what, rounds)) {
    for (const [index, { task, nanosecondsPerKey, counted }] of roundOf().entries()) {
      timings[index] ??= { rounds: [], counted };
      if (counted !== timings[index].counted) throw new Error(`${what}: the count of ${task.label} differs`);
      if (round > 0) timings[index].rounds.push(nanosecondsPerKey);
    }
  }
  return timings;
}

/** A task to be timed. */
export interface Task {
  readonly label: string;
  /** The number of keys that it handles. */
  readonly keys: number;
  /** Called before each run, without being timed. */
  readonly prepare?: (() => void) | undefined;
  /** Runs the task. Returns how many keys were added or found, so that nothing can be optimized away. */
  run(): number;
}

/**
 * Times the tasks in rounds. Each round runs all tasks in a new order; the first round only warms up. `beforeRound` is
 * not timed.
 *
 * @throws Error if a task's count differs between rounds
 */
export function measure(tasks: readonly Task[], rounds: number, what: string, beforeRound = (): void => {}): Timing[] {
  const random = seeded();
  return gather(rounds, what, () => {
    beforeRound();
    return runInOrder(tasks, shuffle([...tasks.keys()], random));
  });
}

/** Runs the tasks in the order of the indices in `order`. */
function runInOrder(tasks: readonly Task[], order: readonly number[]): Sample[] {
  const counts: number[] = [];
  // tinybench repeats a task until both limits are reached.
  const time = Math.max(...tasks.map(({ keys }) => keys)) >= ENOUGH_KEYS ? 0 : MIN_SAMPLE_MILLISECONDS;
  const bench = new Bench({ iterations: 1, time, warmup: false, throws: true });
  for (const index of order) {
    const { run, prepare = () => {} } = tasks[index] as Task;
    const runOnce = (): void => {
      counts[index] = run();
    };
    bench.add(String(index), runOnce, { async: false, beforeEach: prepare });
  }
  const samples: Sample[] = [];
  for (const { name, result } of bench.runSync()) {
    if (!('latency' in result)) throw new Error(`${name} was not measured`);
    const index = Number(name);
    const task = tasks[index] as Task;
    const nanosecondsPerKey = (1e6 * result.latency.mean) / task.keys;
    samples[index] = { task, nanosecondsPerKey, counted: counts[index] ?? Number.NaN };
  }
  return samples;
}

/** How many keys were added or found, or their flags, or what counts them: these are counted after the timing. */
export type Found = number | Uint8Array | (() => number);

export function countOf(found: Found): number {
  if (typeof found === 'number') return found;
  return typeof found === 'function' ? found() : sumOf(found);
}

/**
 * Calls that are timed without making their filter and counting their flags, which would take a good part of the time.
 */
export interface Calls {
  readonly label: string;
  /** The number of keys that they handle. */
  readonly keys: number;
  /** The number of keys that they must find. */
  readonly least: number;
  /** Called before each run, without being timed. */
  prepare(): void;
  run(): Found;
}

/** The runs of calls in one round. */
class Turns implements Sample {
  milliseconds = 0;
  runs = 0;
  counted = Number.NaN;
  readonly task: Calls;

  constructor(task: Calls) {
    this.task = task;
  }

  /** Takes a turn. Throws an Error if the count differs from that of other runs. */
  continue(): void {
    const { label, least } = this.task;
    // Garbage of other tasks, such as large filters, must not be collected while this task runs.
    if (this.runs === 0) collectGarbage();
    const end = this.milliseconds + TURN_MILLISECONDS;
    while (this.milliseconds < end) {
      this.task.prepare();
      const start = performance.now();
      const result = this.task.run();
      this.milliseconds += performance.now() - start;
      this.runs++;
      const counted = countOf(result);
      if (counted < least) throw new BenchmarkError(`${label}: found ${counted} of ${least} present keys`);
      if (this.runs > 1 && counted !== this.counted) throw new Error(`the count of ${label} differs`);
      this.counted = counted;
    }
  }

  get nanosecondsPerKey(): number {
    return (1e6 * this.milliseconds) / (this.runs * this.task.keys);
  }
}

/**
 * Runs all tasks once, or in turns if they are short: other work on the machine lasts for a fraction of a second, and
 * must hit all tasks alike.
 */
function takeTurns(tasks: readonly Calls[], random: Random): Turns[] {
  const all = tasks.map((task) => new Turns(task));
  for (let left = all; left.length > 0; ) {
    for (const turns of shuffle([...left], random)) turns.continue();
    left = left.filter(({ milliseconds }) => milliseconds < CALLS_MILLISECONDS);
  }
  return all;
}

/**
 * Times calls in rounds. Each round runs all in a new order; the first round only warms up.
 *
 * @throws BenchmarkError if present keys are not found
 * @throws Error if a count differs between runs
 */
export function timeCalls(tasks: readonly Calls[], rounds: number, what: string): Timing[] {
  const random = seeded();
  return gather(rounds, what, () => takeTurns(tasks, random));
}
