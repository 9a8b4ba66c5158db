// Two ways to time tasks in rounds: each as a whole, or all in short turns.

import { BenchmarkError, inRounds } from './cli.ts';
import { sumOf } from './figures.ts';
import { collectGarbage } from './machine.ts';
import { seeded, shuffle } from './random.ts';

/** With fewer keys than this, a whole task is repeated until it has taken MIN_SAMPLE_MILLISECONDS. */
const ENOUGH_KEYS = 1_000_000;
const MIN_SAMPLE_MILLISECONDS = 20;
/** The time of each task in a round of turns, and the least time of a turn. */
const CALLS_MILLISECONDS = 50;
const TURN_MILLISECONDS = 5;

/** The measurements of a task. */
export interface Timing {
  /** Nanoseconds per key in each round. */
  readonly rounds: readonly number[];
  /** How many keys were added or found. */
  readonly counted: number;
}

/** How many keys were added or found, or their flags, or what counts them: these are counted after the timing. */
export type Found = number | Uint8Array | (() => number);

function countOf(found: Found): number {
  if (typeof found === 'number') return found;
  return typeof found === 'function' ? found() : sumOf(found);
}

/** A task to be timed, without what would take a good part of the time, such as making its filter. */
export interface Calls {
  readonly label: string;
  /** The number of keys that it handles. */
  readonly keys: number;
  /** The number of keys that it must find. */
  readonly least: number;
  /** Called before each run, without being timed. */
  prepare(): void;
  /** Returns what it has found, so that nothing can be optimized away. */
  run(): Found;
}

/** The runs of a task in one round. */
class Turns {
  milliseconds = 0;
  runs = 0;
  counted = Number.NaN;
  readonly task: Calls;

  constructor(task: Calls) {
    this.task = task;
  }

  /** Runs the task until it has taken so much time, and at least once. */
  continue(milliseconds: number): void {
    const { label, least } = this.task;
    const end = this.milliseconds + milliseconds;
    do {
      this.task.prepare();
      const start = performance.now();
      const result = this.task.run();
      this.milliseconds += performance.now() - start;
      this.runs++;
      const counted = countOf(result);
      if (counted < least) throw new BenchmarkError(`${label}: found ${counted} of ${least} present keys`);
      if (this.runs > 1 && counted !== this.counted) throw new Error(`the count of ${label} differs`);
      this.counted = counted;
    } while (this.milliseconds < end);
  }

  get nanosecondsPerKey(): number {
    return (1e6 * this.milliseconds) / (this.runs * this.task.keys);
  }
}

/** Times tasks in rounds: `run` runs all of one round. The first round only warms up. */
function timeIn(tasks: readonly Calls[], rounds: number, what: string, run: (all: Turns[]) => void): Timing[] {
  const timings: { readonly rounds: number[]; readonly counted: number }[] = [];
  for (const round of inRounds(what, rounds)) {
    const all = tasks.map((task) => new Turns(task));
    run(all);
    for (const [index, { task, nanosecondsPerKey, counted }] of all.entries()) {
      timings[index] ??= { rounds: [], counted };
      if (counted !== timings[index].counted) throw new Error(`${what}: the count of ${task.label} differs`);
      if (round > 0) timings[index].rounds.push(nanosecondsPerKey);
    }
  }
  return timings;
}

/**
 * Times whole tasks in rounds. Each round runs all tasks in a new order; the first round only warms up. `beforeRound` is
 * not timed.
 *
 * @throws BenchmarkError if present keys are not found
 * @throws Error if a task's count differs between runs
 */
export function timeTasks(tasks: readonly Calls[], rounds: number, what: string, beforeRound: () => void): Timing[] {
  const random = seeded();
  const isLarge = tasks.some(({ keys }) => keys >= ENOUGH_KEYS);
  return timeIn(tasks, rounds, what, (all) => {
    beforeRound();
    for (const turns of shuffle(all.slice(), random)) turns.continue(isLarge ? 0 : MIN_SAMPLE_MILLISECONDS);
  });
}

/**
 * Times tasks in rounds of turns: other work on the machine lasts for a fraction of a second, and must hit all tasks alike.
 * A task that is not short has one turn. Each round has a new order; the first round only warms up. The errors are those of
 * `timeTasks`.
 */
export function timeCalls(tasks: readonly Calls[], rounds: number, what: string): Timing[] {
  const random = seeded();
  return timeIn(tasks, rounds, what, (all) => {
    for (let left = all; left.length > 0; ) {
      for (const turns of shuffle(left.slice(), random)) {
        // Garbage of other tasks, such as large filters, must not be collected while this task runs.
        if (turns.runs === 0) collectGarbage();
        turns.continue(TURN_MILLISECONDS);
      }
      left = left.filter(({ milliseconds }) => milliseconds < CALLS_MILLISECONDS);
    }
  });
}
