// `npm run bench -- builds` runs this in a process for each build. For each line of input, the name of a class, it runs
// and times all operations of that class once.

import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { sumOf } from '../shared/figures.ts';
import { ownLoops } from '../shared/own-loops.ts';
import { makeNames } from '../shared/random.ts';

const WARM_UP_PASSES = 30;
const FEW = 20;

/** The job of a process. */
export interface Job {
  /** The modules whose classes are used. Lines of input may name classes of the first. */
  readonly entries: readonly string[];
  readonly classes: readonly string[];
  readonly keys: number;
  readonly capacity: number;
  readonly errorRate: number;
}

/** An operation that ran once. */
export interface Step {
  readonly operation: string;
  readonly nanosecondsPerKey: number;
  /** The number of keys that were new or found; for `addMany`, the share of cells in use afterwards. */
  readonly answer: number;
  /** The number of present keys that were not found. */
  readonly missed: number;
}

/** The methods that the filters of all builds have. */
interface Filter {
  add(key: string): boolean;
  has(key: string): boolean;
  addMany(keys: readonly string[]): this;
  hasMany(keys: readonly string[]): Uint8Array;
  fillRatio(): number;
  dispose(): void;
}

type FilterClass = new (options: { capacity: number; errorRate: number }) => Filter;

const [, job = ''] = process.argv;
const { entries, classes, keys, capacity, errorRate }: Job = JSON.parse(job);
const { present, absent } = makeNames(keys);
/** Few keys at a time, half of which are present. */
const few = Array.from({ length: keys / FEW }, (_, i) => {
  const [from, to] = [(i * FEW) / 2, ((i + 1) * FEW) / 2];
  return [...present.slice(from, to), ...absent.slice(from, to)];
});

function step<T>(operation: string, run: () => T, answerOf: (result: T) => number, least = 0): Step {
  const start = performance.now();
  const result = run();
  const nanosecondsPerKey = (1e6 * (performance.now() - start)) / keys;
  const answer = answerOf(result);
  return { operation, nanosecondsPerKey, answer, missed: Math.max(0, least - answer) };
}

function sumOfAll(flags: readonly Uint8Array[]): number {
  return flags.reduce((sum, each) => sum + sumOf(each), 0);
}

/** Returns a function that runs each operation of a class once. */
function passOf(Class: FilterClass, label: string): () => Step[] {
  const { addEach, hasEach } = ownLoops(label);
  const same = (count: number): number => count;
  return () => {
    const single = new Class({ capacity, errorRate });
    const batch = new Class({ capacity, errorRate });
    const fill = (): number => batch.fillRatio();
    const steps = [
      step('add', () => addEach(single, present), same),
      step('has, present keys', () => hasEach(single, present), same, keys),
      step('has, absent keys', () => hasEach(single, absent), same),
      step('addMany', () => batch.addMany(present), fill),
      step('hasMany', () => batch.hasMany(present), sumOf, keys),
      step(`hasMany, ${FEW} at a time`, () => few.map((part) => batch.hasMany(part)), sumOfAll, keys / 2),
    ];
    single.dispose();
    batch.dispose();
    return steps;
  };
}

const passes: (() => Step[])[] = [];
for (const entry of entries) {
  const module: Readonly<Record<string, FilterClass>> = await import(pathToFileURL(entry).href);
  for (const name of classes) passes.push(passOf(module[name] as FilterClass, `${name} of ${entry}`));
}
// In turns, as in a program that uses all kinds at once.
for (let i = 0; i < WARM_UP_PASSES; i++) for (const pass of passes) pass();
for await (const name of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(passes[classes.indexOf(name)]?.()));
}
