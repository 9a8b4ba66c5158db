// The key sets of the benchmarks, the same in every run. The keys of a set are distinct, and its absent keys are of
// the same make as its present ones.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Keys, lines } from 'bloomery';
import { randomFrom } from '../test/random.ts';
import { emptyCaches } from './caches.ts';
import { collectGarbage } from './heap.ts';
import type { PlainKey } from './plain.ts';
import { shuffle } from './shuffle.ts';

const SEED = 1970;
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
  /** Comes before each run of a task, and is not timed. */
  readonly prepare?: () => void;
}

type Lists<T> = Readonly<Record<'present' | 'again' | 'absent', T>>;

/** For keys that are not strings. */
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
  const random = randomFrom(SEED);
  return renewable(list, (strings) => {
    const loaded = asLoaded(strings);
    // Moves the strings to where they stay. Moved later, they would come to lie in their new order.
    collectGarbage();
    return shuffle(loaded, random);
  });
}

function lineBatch(list: readonly string[]): Batch {
  const text = Buffer.from(list.join('\n'));
  return { count: list.length, many: lines(text), each: () => text.toString().split('\n'), renew() {} };
}

/**
 * The same strings back to back in memory, as in a program that loaded only these. They are decoded one by one,
 * because JSON.parse would take short ones from the strings that V8 shares, elsewhere in memory.
 */
function asLoaded(strings: readonly string[]): string[] {
  return strings.map((text) => Buffer.from(text).toString());
}

/** The names of all npm packages. Not loaded by `require`, which would keep all of them on the heap. */
function loadNames(): string[] {
  return JSON.parse(readFileSync(require.resolve('all-the-package-names/names.json'), 'utf8'));
}

function chooseNames(count: number): { present: string[]; absent: string[] } {
  const names = shuffle(loadNames(), randomFrom(SEED), 2 * count);
  return { present: names.slice(0, count), absent: names.slice(count, 2 * count) };
}

function reordered({ present, absent }: { present: string[]; absent: string[] }): Lists<string[]> {
  return { present, again: shuffle([...present], randomFrom(SEED)), absent };
}

/** Maps each index to a different random-looking 32-bit number, so that keys made from it are distinct. */
function scrambled(index: number): number {
  let mixed = Math.imul(index, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca77);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** Two lists of `count` keys, made from the numbers below 2 · count. */
function generate<T>(count: number, make: (distinct: number, random: (limit: number) => number) => T) {
  const random = randomFrom(SEED);
  const from = (first: number): T[] => Array.from({ length: count }, (_, i) => make(scrambled(first + i), random));
  return { present: from(0), absent: from(count) };
}

/** Strings of min … max characters. They begin with the digits of a distinct number, as many as the largest needs. */
function randomStrings(
  count: number,
  min: number,
  max: number,
  alphabetSize: number,
  character: (i: number) => number,
) {
  const digits = Math.ceil(32 / Math.log2(alphabetSize));
  return generate(count, (distinct, random) => {
    const length = min + random(max - min + 1);
    const codes: number[] = [];
    for (let rest = distinct; codes.length < digits; rest = Math.floor(rest / alphabetSize)) {
      codes.push(character(rest % alphabetSize));
    }
    while (codes.length < length) codes.push(character(random(alphabetSize)));
    return String.fromCharCode(...codes);
  });
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const letter = (i: number): number => LETTERS.charCodeAt(i);
/** A character of the block of unified ideographs. */
const ideograph = (i: number): number => 0x4e00 + i;
const IDEOGRAPHS = 20_000;

function randomBytes(count: number): { present: Uint8Array[]; absent: Uint8Array[] } {
  return generate(count, (distinct, random) => {
    const bytes = Uint8Array.from({ length: 16 + random(17) }, () => random(256));
    new DataView(bytes.buffer).setUint32(0, distinct);
    return bytes;
  });
}

function bytesSet({ present, absent }: { present: Uint8Array[]; absent: Uint8Array[] }): Lists<Uint8Array[]> {
  return { present, again: shuffle([...present], randomFrom(SEED)).map((bytes) => bytes.slice()), absent };
}

function integers(count: number): Lists<Uint32Array> {
  const from = (first: number) => Uint32Array.from({ length: count }, (_, i) => scrambled(first + i));
  return { present: from(0), again: shuffle(from(0), randomFrom(SEED)), absent: from(count) };
}

function setOf<T>(name: string, { present, again, absent }: Lists<T>, batch: (list: T) => Batch): KeySet {
  return { name, present: batch(present), again: batch(again), absent: batch(absent) };
}

/** Half of the names serve as absent keys. Other objects must fit the heap, and a Set holds at most 2^24 keys. */
export const MOST_NAMES = 2_200_000;
const MOST_OBJECTS = 2_000_000;

interface Recipe {
  /** The largest possible number of keys. */
  readonly most: number;
  readonly make: (count: number) => KeySet;
}

const recipes: Readonly<Record<string, Recipe>> = {
  names: { most: MOST_NAMES, make: (n) => setOf('names', reordered(chooseNames(n)), stringBatch) },
  cold: {
    most: MOST_NAMES,
    make: (n) => ({ ...setOf('cold', reordered(chooseNames(n)), scatteredBatch), prepare: emptyCaches }),
  },
  lines: { most: MOST_NAMES, make: (n) => setOf('lines', reordered(chooseNames(n)), lineBatch) },
  short: {
    most: 10_000_000,
    make: (n) => setOf('short', reordered(randomStrings(n, 8, 12, LETTERS.length, letter)), stringBatch),
  },
  long: {
    most: MOST_OBJECTS,
    make: (n) => setOf('long', reordered(randomStrings(n, 45, 60, LETTERS.length, letter)), stringBatch),
  },
  chinese: {
    most: MOST_OBJECTS,
    make: (n) => setOf('chinese', reordered(randomStrings(n, 4, 8, IDEOGRAPHS, ideograph)), stringBatch),
  },
  bytes: { most: MOST_OBJECTS, make: (n) => setOf('bytes', bytesSet(randomBytes(n)), fixedBatch) },
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
