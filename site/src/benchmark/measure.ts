// Measures in rounds: each runs all contenders once, in a new order, so that a slow spell of the machine hits all
// alike.

import { makeNames, shuffle } from '../../../bench/shared/random.ts';
import { randomFrom } from '../../../test/shared/random.ts';
import { chooseEngine, engineName } from '../engine.ts';
import { contendersOn, type Opened } from './contenders.ts';
import {
  byCase,
  type ContenderName,
  contenderNames,
  ERROR_RATE,
  isOurs,
  type Operation,
  operations,
  type Plan,
  type Report,
  type Result,
  type Temperature,
  temperatures,
} from './run.ts';
import { type KeySet, renewKeys } from './strings.ts';

/** See vite.config.ts. */
declare const BLOOMERY_VERSION: string;
declare const BLOOMFILTER_VERSION: string;

const SEED = 2026;
/** Larger than the last cache of most processors. */
const CACHE_BYTES = 2 ** 26;
const CACHE_LINE = 64;
/** How many times the promised false positives are accepted. A filter with far more would be fast and wrong. */
const MOST_ERRORS = 3;

/** Makes a function that displaces everything else from the processor's caches. */
function cacheEmptier(): () => void {
  const memory = new Uint8Array(CACHE_BYTES);
  return () => {
    for (let at = 0; at < CACHE_BYTES; at += CACHE_LINE) memory[at] = (memory[at] as number) + 1;
  };
}

/** The smallest step of the clock, in microseconds. */
function clockStep(): number {
  const steps = Array.from({ length: 10 }, () => {
    const start = performance.now();
    let now = start;
    while (now === start) now = performance.now();
    return now - start;
  });
  return 1000 * Math.min(...steps);
}

/** Checks the numbers of keys found, of so many that were looked up. */
function answersFor(keys: number) {
  const wrong = new Map<ContenderName, number>();
  return {
    /** @throws Error if the number is wrong, or differs from an earlier run */
    check(name: ContenderName, operation: Operation, found: number): void {
      if (operation === 'hit' && found !== keys) throw new Error(`${name} found ${found} of ${keys} keys`);
      if (operation !== 'miss') return;
      const before = wrong.get(name) ?? found;
      const most = name === 'Set' ? 0 : MOST_ERRORS * ERROR_RATE * keys;
      if (found !== before || found > most) throw new Error(`${name} found ${found} of ${keys} absent keys`);
      wrong.set(name, found);
    },
    /** @throws Error unless all ways to call bloomery agree */
    falsePositives(): number[] {
      const own = contenderNames.filter(isOurs).map((name) => wrong.get(name));
      if (new Set(own).size > 1) throw new Error(`bloomery gave different answers: ${own.join(', ')}`);
      return contenderNames.map((name) => wrong.get(name) ?? 0);
    },
  };
}

/** Runs an operation, and gives how many keys it found. */
function runOne(operation: Operation, filter: Opened, keys: KeySet): number {
  if (operation === 'build') filter.add(keys.present);
  else return filter.find(operation === 'hit' ? keys.again : keys.absent);
  return 0;
}

/** @throws Error if an answer is wrong */
export async function measure(plan: Plan, report: (report: Report) => void): Promise<Result> {
  const { keys: count, rounds } = plan;
  report({ type: 'progress', text: 'Making the keys', done: 0 });
  const engine = await chooseEngine();
  const contenders = contendersOn(engine);
  const clock = clockStep();
  const times = byCase(() => contenderNames.map((): number[] => []));
  const answers = answersFor(count);
  const random = randomFrom(SEED);
  const emptyCaches = cacheEmptier();

  /** Runs all contenders once. Answers are always checked; times are kept unless the run only warms up. */
  function runAll(keys: KeySet, temperature: Temperature, isKept: boolean): void {
    const filters = new Map<ContenderName, Opened>();
    for (const operation of operations) {
      for (const index of shuffle([...contenderNames.keys()], random)) {
        const name = contenderNames[index] as ContenderName;
        if (temperature === 'cold') emptyCaches();
        const start = performance.now();
        const filter = filters.get(name) ?? contenders[name](count);
        const found = runOne(operation, filter, keys);
        // A time of less than one step of the clock counts as one step.
        const milliseconds = Math.max(performance.now() - start, clock / 1000);
        filters.set(name, filter);
        answers.check(name, operation, found);
        if (isKept) times[temperature][operation][index]?.push((1e6 * milliseconds) / count);
      }
    }
  }

  const lists = makeNames(count);
  for (let round = 0; round <= rounds; round++) {
    for (const [half, temperature] of temperatures.entries()) {
      const text = round === 0 ? 'Warming up' : `Round ${round} of ${rounds}, ${temperature} strings`;
      report({ type: 'progress', text, done: (round + half / temperatures.length) / (rounds + 1) });
      runAll(renewKeys(lists, temperature), temperature, round > 0);
    }
  }
  const machine = {
    userAgent: navigator.userAgent,
    cores: navigator.hardwareConcurrency ?? 0,
    engine: engineName(engine),
    bloomery: BLOOMERY_VERSION,
    bloomfilter: BLOOMFILTER_VERSION,
    clock,
    date: new Date().toISOString().slice(0, 10),
  };
  return { plan, machine, times, falsePositives: answers.falsePositives() };
}
