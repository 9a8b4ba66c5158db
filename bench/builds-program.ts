// What `npm run bench:builds` runs in processes of its own: the operations of some classes of one build. For each line
// of input, the name of a class, it runs and times all operations of that class once.

import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { randomFrom } from '../test/random.ts';
import { sumOf } from './flags.ts';
import { ownLoops } from './own-loops.ts';

const WARM_UP_PASSES = 30;
const SEED = 1970;
const SHORTEST = 8;
const LONGEST = 35;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz-';

export type ClassName = 'BloomFilter' | 'BlockedBloomFilter' | 'CountingBloomFilter';

/** What a process does. */
export interface Job {
  /** The modules whose classes are used. Those of the first take input. */
  readonly entries: readonly string[];
  readonly classes: readonly ClassName[];
  readonly keys: number;
  readonly errorRate: number;
}

/** An operation that ran once. */
export interface Step {
  readonly operation: string;
  readonly nanosecondsPerKey: number;
  /** How many keys were new, or were found; for `addMany` the share of cells in use after it. */
  readonly answer: number;
  /** How many present keys were not found. */
  readonly missed: number;
}

/** What the filters of all builds can do. */
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
const { entries, classes, keys, errorRate }: Job = JSON.parse(job);
const random = randomFrom(SEED);
const present = makeKeys(0);
const absent = makeKeys(keys);

/** Distinct strings. Like those of a file they are flat, and V8 has stored no hash in them. */
function makeKeys(first: number): string[] {
  return Array.from({ length: keys }, (_, i) => {
    // Times an odd number, different numbers stay different.
    let name = (Math.imul(first + i, 0x9e3779b1) >>> 0).toString(36).padStart(SHORTEST, '-');
    const length = SHORTEST + random(LONGEST - SHORTEST + 1);
    while (name.length < length) name += LETTERS.charAt(random(LETTERS.length));
    return Buffer.from(name).toString('latin1');
  });
}

function step<T>(operation: string, run: () => T, answerOf: (result: T) => number, least = 0): Step {
  const start = performance.now();
  const result = run();
  const nanosecondsPerKey = (1e6 * (performance.now() - start)) / keys;
  const answer = answerOf(result);
  return { operation, nanosecondsPerKey, answer, missed: Math.max(0, least - answer) };
}

/** Makes what runs each operation of a class once. */
function passOf(Class: FilterClass, label: string): () => Step[] {
  const { addEach, hasEach } = ownLoops(label);
  const same = (count: number): number => count;
  return () => {
    const single = new Class({ capacity: keys, errorRate });
    const batch = new Class({ capacity: keys, errorRate });
    const fill = (): number => batch.fillRatio();
    const steps = [
      step('add', () => addEach(single, present), same),
      step('has, present keys', () => hasEach(single, present), same, keys),
      step('has, absent keys', () => hasEach(single, absent), same),
      step('addMany', () => batch.addMany(present), fill),
      step('hasMany', () => batch.hasMany(present), sumOf, keys),
    ];
    single.dispose();
    batch.dispose();
    return steps;
  };
}

const passes: (() => Step[])[] = [];
for (const entry of entries) {
  const module: Readonly<Record<ClassName, FilterClass>> = await import(pathToFileURL(entry).href);
  for (const name of classes) passes.push(passOf(module[name], `${name} of ${entry}`));
}
// In turns, as in a program that uses all kinds at a time.
for (let i = 0; i < WARM_UP_PASSES; i++) for (const pass of passes) pass();
for await (const name of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(passes[classes.indexOf(name as ClassName)]?.()));
}
