// Keys of every type that people have, the same in every run. Uses nothing of Node, so it also runs in browsers.

import type { PlainKey } from './plain.ts';
import { type KeyLists, type Random, seeded, shuffle } from './random.ts';

/** Maps each index to a different random-looking 32-bit number, so that keys made from it are distinct. */
export function scrambled(index: number): number {
  let mixed = Math.imul(index, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca77);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** A string of min … max characters. It begins with the digits of a distinct number, as many as the largest needs. */
export function randomText(distinct: number, random: Random, min: number, max: number, alphabet: string): string {
  const digits = Math.ceil(32 / Math.log2(alphabet.length));
  const length = min + random(max - min + 1);
  const codes: number[] = [];
  for (let rest = distinct; codes.length < digits; rest = Math.floor(rest / alphabet.length)) {
    codes.push(alphabet.charCodeAt(rest % alphabet.length));
  }
  while (codes.length < length) codes.push(alphabet.charCodeAt(random(alphabet.length)));
  return String.fromCharCode(...codes);
}

export const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** The first characters of the block of unified ideographs. */
export const IDEOGRAPHS: string = String.fromCharCode(...Array.from({ length: 20_000 }, (_, i) => 0x4e00 + i));

/** An array of bytes that begins with a distinct number. */
export function randomBytes(distinct: number, random: Random, length: number): Uint8Array {
  const bytes = Uint8Array.from({ length }, () => random(256));
  new DataView(bytes.buffer).setUint32(0, distinct);
  return bytes;
}

const COUNT = 100_000;

const CYRILLIC: string = String.fromCharCode(...Array.from({ length: 32 }, (_, i) => 0x430 + i));

export interface KeyType {
  readonly about: string;
  readonly count: number;
  make(distinct: number, random: Random, index: number): PlainKey;
}

const strings = (about: string, min: number, max: number, alphabet = LETTERS, count = COUNT): KeyType => ({
  ...{ about, count },
  make: (distinct, random) => randomText(distinct, random, min, max, alphabet),
});

const others = (about: string, make: KeyType['make']): KeyType => ({ about, count: COUNT, make });

const nameOf = (distinct: number, random: Random): string => randomText(distinct, random, 12, 28, LETTERS);

export const keyTypes: Readonly<Record<string, KeyType>> = {
  names: others('names, 12 to 28 characters', nameOf),
  short: strings('8 to 12 characters', 8, 12),
  urls: others('URLs, 40 to 70 characters', (distinct, random) => {
    return `https://www.${nameOf(distinct, random)}.example/${randomText(0, random, 8, 22, LETTERS)}`;
  }),
  long: strings('300 characters', 300, 300, LETTERS, 20_000),
  longer: strings('1,000 characters', 1000, 1000, LETTERS, 10_000),
  chinese: others('Chinese, 4 to 8 ideographs and digits', (distinct, random) => {
    return `${randomText(distinct, random, 4, 8, IDEOGRAPHS)}${distinct % 1e6}`;
  }),
  cyrillic: strings('Cyrillic, 8 to 16 letters', 8, 16, CYRILLIC),
  accented: others('names, 1 of 50 with é', (distinct, random, index) => {
    return `${index % 50 === 7 ? 'é' : ''}${nameOf(distinct, random)}`;
  }),
  mixed: others('strings and numbers in turn', (distinct, random, index) => {
    return index % 2 ? distinct : nameOf(distinct, random);
  }),
  integers: others('integers in an array', (distinct) => distinct),
  uuids: others('arrays of 16 bytes', (distinct, random) => randomBytes(distinct, random, 16)),
  digests: others('arrays of 64 bytes', (distinct, random) => randomBytes(distinct, random, 64)),
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The same keys as new objects, one after the other in memory. Engines store a string's hash in the string. */
export function renew(keys: readonly PlainKey[]): PlainKey[] {
  return keys.map((key) => {
    if (typeof key === 'number') return key;
    return typeof key === 'string' ? decoder.decode(encoder.encode(key)) : key.slice();
  });
}

/** The keys in another order. Two that follow each other stay together, so that types that take turns still do. */
export function shuffled(keys: readonly PlainKey[]): PlainKey[] {
  const pairs = Array.from({ length: keys.length / 2 }, (_, i) => 2 * i);
  return shuffle(pairs, seeded()).flatMap((first) => keys.slice(first, first + 2));
}

/** As many keys of a type to add, and to look up, as its `count`. */
export function listsOf({ make, count }: KeyType): KeyLists<PlainKey[]> {
  const random = seeded();
  const all = Array.from({ length: 2 * count }, (_, index) => make(scrambled(index), random, index));
  const [present, absent] = [all.slice(0, count), all.slice(count)];
  return { present, again: shuffled(present), absent };
}
