// The key sets of the benchmarks, the same in every run. The keys of a set are distinct, and its absent keys are of
// the same make as its present ones.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Keys, lines } from 'bloomery';
import { IDEOGRAPHS, LETTERS, randomBytes, randomText, scrambled } from './key-types.ts';
import { collectGarbage, emptyCaches } from './machine.ts';
import type { PlainKey } from './plain.ts';
import { type KeyLists, listsOf, type Random, seeded, shuffle } from './random.ts';

const require = createRequire(import.meta.url);

/** Keys in the forms that the subjects take. */
export interface Batch {
  readonly count: number;
  /** For one call with all keys. */
  readonly many: Keys;
  /** For one call per key. Lines are decoded and split each time, which is part of the measured time. */
  readonly each: () => ArrayLike<PlainKey>;
  /** Makes new objects of the same keys: V8 stores a string's hash in the string, and a new key has none yet. */
  readonly renew: () => void;
}

export interface KeySet {
  readonly name: string;
  /** The keys that are added. */
  readonly present: Batch;
  /** The same keys in a different order, as different objects. */
  readonly again: Batch;
  /** As many keys that are not added. */
  readonly absent: Batch;
  /** Called before each run of a task, without being timed. */
  readonly prepare?: () => void;
}

/** A batch of keys that are not strings. */
function fixedBatch(list: readonly Uint8Array[] | Uint32Array): Batch {
  return { count: list.length, many: list, each: () => list, renew() {} };
}

function renewable(list: readonly string[], newOnes: (strings: readonly string[]) => string[]): Batch {
  let strings = newOnes(list);
  return {
    count: list.length,
    get many() {
      return strings;
    },
    each: () => strings,
    renew() {
      strings = newOnes(strings);
    },
  };
}

function stringBatch(list: readonly string[]): Batch {
  return renewable(list, asLoaded);
}

/** Strings in random order in memory, so that each has to be fetched separately. */
function scatteredBatch(list: readonly string[]): Batch {
  const random = seeded();
  return renewable(list, (strings) => {
    const loaded = asLoaded(strings);
    // Lets V8 move the strings to their final place now. Later, it would move them in their new order.
    collectGarbage();
    return shuffle(loaded, random);
  });
}

function lineBatch(list: readonly string[]): Batch {
  const text = Buffer.from(list.join('\n'));
  return { count: list.length, many: lines(text), each: () => text.toString().split('\n'), renew() {} };
}

/**
 * The same strings back to back in memory, as in a program that loaded only these. JSON.parse would take short ones from
 * the strings that V8 shares.
 */
function asLoaded(strings: readonly string[]): string[] {
  return strings.map((text) => Buffer.from(text).toString());
}

/** The names of all npm packages. Not loaded by `require`, which would keep all of them on the heap. */
function loadNames(): string[] {
  return JSON.parse(readFileSync(require.resolve('all-the-package-names/names.json'), 'utf8'));
}

function reordered<T>({ present, absent }: { present: T[]; absent: T[] }): KeyLists<T[]> {
  return { present, again: shuffle([...present], seeded()), absent };
}

function chooseNames(count: number): KeyLists<string[]> {
  const names = shuffle(loadNames(), seeded(), 2 * count);
  return reordered({ present: names.slice(0, count), absent: names.slice(count, 2 * count) });
}

/** Two lists of `count` keys, made from the numbers below 2 · count. */
function generate<T>(count: number, make: (distinct: number, random: Random) => T) {
  const random = seeded();
  const from = (first: number): T[] => Array.from({ length: count }, (_, i) => make(scrambled(first + i), random));
  return { present: from(0), absent: from(count) };
}

function randomStrings(count: number, min: number, max: number, alphabet: string): KeyLists<string[]> {
  return reordered(generate(count, (distinct, random) => randomText(distinct, random, min, max, alphabet)));
}

function byteArrays(count: number): KeyLists<Uint8Array[]> {
  const lists = generate(count, (distinct, random) => randomBytes(distinct, random, 16 + random(17)));
  return { ...lists, again: reordered(lists).again.map((bytes) => bytes.slice()) };
}

function integers(count: number): KeyLists<Uint32Array> {
  return listsOf(count, (first) => new Uint32Array(count).map((_, i) => scrambled(first + i)));
}

function setOf<T>(name: string, { present, again, absent }: KeyLists<T>, batch: (list: T) => Batch): KeySet {
  return { name, present: batch(present), again: batch(again), absent: batch(absent) };
}

/**
 * The most keys of a set. Half of the npm names serve as absent keys. Other objects must fit the heap, and a Set holds
 * at most 2^24 keys.
 */
const MOST_NAMES = 2_200_000;
const MOST_OBJECTS = 2_000_000;

interface Recipe {
  /** The largest possible number of keys. */
  readonly most: number;
  readonly make: (count: number) => KeySet;
}

const recipes: Readonly<Record<string, Recipe>> = {
  names: { most: MOST_NAMES, make: (n) => setOf('names', chooseNames(n), stringBatch) },
  cold: {
    most: MOST_NAMES,
    make: (n) => ({ ...setOf('cold', chooseNames(n), scatteredBatch), prepare: emptyCaches }),
  },
  lines: { most: MOST_NAMES, make: (n) => setOf('lines', chooseNames(n), lineBatch) },
  short: { most: 10_000_000, make: (n) => setOf('short', randomStrings(n, 8, 12, LETTERS), stringBatch) },
  long: { most: MOST_OBJECTS, make: (n) => setOf('long', randomStrings(n, 45, 60, LETTERS), stringBatch) },
  chinese: { most: MOST_OBJECTS, make: (n) => setOf('chinese', randomStrings(n, 4, 8, IDEOGRAPHS), stringBatch) },
  bytes: { most: MOST_OBJECTS, make: (n) => setOf('bytes', byteArrays(n), fixedBatch) },
  integers: { most: 10_000_000, make: (n) => setOf('integers', integers(n), fixedBatch) },
};

/** Descriptions of the sets. */
export const aboutSets: Readonly<Record<string, string>> = {
  names: 'names of npm packages, 20 characters on average, in the order in which they lie in memory: warm strings',
  cold: 'the same names, scattered over memory, and in no cache of the processor when a task begins',
  lines: 'the same names as a text, one per line; plain JavaScript and Set have to decode and split it',
  short: 'strings of 8 to 12 letters and digits',
  long: 'strings of 45 to 60 letters and digits',
  chinese: 'strings of 4 to 8 ideographs',
  bytes: 'arrays of 16 to 32 bytes; without Set, which compares arrays by identity',
  integers: '32-bit integers',
};

export const setNames: readonly string[] = Object.keys(recipes);

/** Makes a set of `count` keys; undefined if that is more than the set can have. */
export function makeSet(name: string, count: number): KeySet | undefined {
  const recipe = recipes[name];
  return recipe && count <= recipe.most ? recipe.make(count) : undefined;
}

/** Makes a set of `count` keys. Throws a RangeError if that is more than the set can have. */
export function requireSet(name: string, count: number): KeySet {
  const set = makeSet(name, count);
  if (set === undefined) throw new RangeError(`there are not ${count} ${name}`);
  return set;
}
