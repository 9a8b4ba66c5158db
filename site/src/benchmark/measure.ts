// Measures in rounds: each runs all contenders once, in a new order, so that a slow spell of the machine hits all
// alike.

import { makeNames, shuffle } from '../../../bench/shared/random.ts';
import { randomFrom } from '../../../test/shared/random.ts';
import { chooseEngine, type Engine, engineName } from '../engine.ts';
import { contendersOn, type Opened } from './contenders.ts';
import {
  byCase,
  type ContenderName,
  contenderNames,
  ERROR_RATE,
  isOurs,
  type Machine,
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

/** Checks the numbers of keys found. */
class Answers {
  readonly #keys: number;
  readonly #wrong = new Map<ContenderName, number>();

  constructor(keys: number) {
    this.#keys = keys;
  }

  /** @throws Error if the number is wrong, or differs from an earlier run */
  check(name: ContenderName, operation: Operation, found: number): void {
    if (operation === 'hit' && found !== this.#keys) throw new Error(`${name} found ${found} of ${this.#keys} keys`);
    if (operation !== 'miss') return;
    const before = this.#wrong.get(name) ?? found;
    const most = name === 'Set' ? 0 : MOST_ERRORS * ERROR_RATE * this.#keys;
    if (found !== before || found > most) throw new Error(`${name} found ${found} of ${this.#keys} absent keys`);
    this.#wrong.set(name, found);
  }

  /** @throws Error unless all ways to call bloomery agree */
  falsePositives(): number[] {
    const own = contenderNames.filter(isOurs).map((name) => this.#wrong.get(name));
    if (new Set(own).size > 1) throw new Error(`bloomery gave different answers: ${own.join(', ')}`);
    return contenderNames.map((name) => this.#wrong.get(name) ?? 0);
  }
}

/** Runs an operation, and gives how many keys it found. */
function runOne(operation: Operation, filter: Opened, keys: KeySet): number {
  if (operation === 'build') filter.add(keys.present);
  else return filter.find(operation === 'hit' ? keys.again : keys.absent);
  return 0;
}

/** All contenders, with their measurements. */
class Race {
  readonly clock = clockStep();
  readonly times = byCase(() => contenderNames.map((): number[] => []));
  readonly answers: Answers;
  readonly #keys: number;
  readonly #contenders: ReturnType<typeof contendersOn>;
  readonly #random = randomFrom(SEED);
  readonly #emptyCaches = cacheEmptier();

  constructor(engine: Engine, keys: number) {
    this.#keys = keys;
    this.#contenders = contendersOn(engine);
    this.answers = new Answers(keys);
  }

  /** Runs all contenders once. Answers are always checked; times are kept unless the run only warms up. */
  run(keys: KeySet, temperature: Temperature, isKept: boolean): void {
    const filters = new Map<ContenderName, Opened>();
    for (const operation of operations) {
      for (const index of shuffle([...contenderNames.keys()], this.#random)) {
        const name = contenderNames[index] as ContenderName;
        if (temperature === 'cold') this.#emptyCaches();
        const start = performance.now();
        const filter = filters.get(name) ?? this.#contenders[name](this.#keys);
        const found = runOne(operation, filter, keys);
        // A time of less than one step of the clock counts as one step.
        const milliseconds = Math.max(performance.now() - start, this.clock / 1000);
        filters.set(name, filter);
        this.answers.check(name, operation, found);
        if (isKept) this.times[temperature][operation][index]?.push((1e6 * milliseconds) / this.#keys);
      }
    }
  }
}

/** @throws Error if an answer is wrong */
export async function measure(plan: Plan, report: (report: Report) => void): Promise<Result> {
  const { keys: count, rounds } = plan;
  report({ type: 'progress', text: 'Making the keys', done: 0 });
  const engine = await chooseEngine();
  const race = new Race(engine, count);
  const lists = makeNames(count);
  for (let round = 0; round <= rounds; round++) {
    for (const [half, temperature] of temperatures.entries()) {
      const text = round === 0 ? 'Warming up' : `Round ${round} of ${rounds}, ${temperature} strings`;
      report({ type: 'progress', text, done: (round + half / temperatures.length) / (rounds + 1) });
      race.run(renewKeys(lists, temperature), temperature, round > 0);
    }
  }
  const machine: Machine = {
    userAgent: navigator.userAgent,
    cores: navigator.hardwareConcurrency ?? 0,
    engine: engineName(engine),
    bloomery: BLOOMERY_VERSION,
    bloomfilter: BLOOMFILTER_VERSION,
    clock: race.clock,
    date: new Date().toISOString().slice(0, 10),
  };
  return { plan, machine, times: race.times, falsePositives: race.answers.falsePositives() };
}
