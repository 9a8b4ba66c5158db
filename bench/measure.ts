import { Bench } from 'tinybench';
import { randomFrom } from '../test/random.ts';
import { shuffle } from './shuffle.ts';
import { status } from './status.ts';

/** With fewer keys than this, a task is repeated until a sample takes MIN_SAMPLE_MILLISECONDS. */
const ENOUGH_KEYS = 1_000_000;
const MIN_SAMPLE_MILLISECONDS = 20;
const SEED = 1970;

/** A task to be timed. */
export interface Task {
  readonly label: string;
  /** The number of keys that it handles. */
  readonly keys: number;
  /** Comes before each run, and is not timed. */
  readonly prepare?: (() => void) | undefined;
  /** Runs the task. Returns how many keys were added or found, so that nothing can be optimized away. */
  run(): number;
}

/** The measurements of a task. */
export interface Timing {
  /** Nanoseconds per key in each round. */
  readonly rounds: readonly number[];
  /** What `run` returned. */
  readonly counted: number;
}

/**
 * Times the tasks in rounds. Each round runs all tasks in a new order; the first round only warms up. `beforeRound` is
 * not timed.
 *
 * @throws Error if a task's count differs between rounds
 */
export function measure(tasks: readonly Task[], rounds: number, what: string, beforeRound = (): void => {}): Timing[] {
  const random = randomFrom(SEED);
  const timings = tasks.map(() => ({ rounds: [] as number[], counted: Number.NaN }));
  for (let round = 0; round <= rounds; round++) {
    status(`${what}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`} …`);
    beforeRound();
    const order = shuffle([...tasks.keys()], random);
    for (const [index, nanoseconds, counted] of runRound(tasks, order)) {
      const timing = timings[index] as (typeof timings)[number];
      if (round > 0 && counted !== timing.counted)
        throw new Error(`${what}: the count of ${tasks[index]?.label} differs`);
      timing.counted = counted;
      if (round > 0) timing.rounds.push(nanoseconds);
    }
  }
  return timings;
}

/** Runs the tasks in this order. Returns the index, the nanoseconds per key and the count of each. */
function runRound(tasks: readonly Task[], order: readonly number[]): [number, number, number][] {
  const counts = new Map<number, number>();
  // tinybench repeats a task until both limits are reached.
  const time = Math.max(...tasks.map(({ keys }) => keys)) >= ENOUGH_KEYS ? 0 : MIN_SAMPLE_MILLISECONDS;
  const bench = new Bench({ iterations: 1, time, warmup: false, throws: true });
  for (const index of order) {
    const task = tasks[index] as Task;
    const { prepare = () => {} } = task;
    bench.add(String(index), () => counts.set(index, task.run()), { async: false, beforeEach: prepare });
  }
  return bench.runSync().map(({ name, result }) => {
    if (!('latency' in result)) throw new Error(`${name} was not measured`);
    const index = Number(name);
    const { keys } = tasks[index] as Task;
    return [index, (1e6 * result.latency.mean) / keys, counts.get(index) ?? Number.NaN];
  });
}
