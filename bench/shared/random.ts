// Random order and random keys, the same in every run. Uses nothing of Node, so it also runs in browsers.

import { randomFrom } from '../../test/shared/random.ts';

/** Returns random whole numbers below its argument. */
export type Random = (limit: number) => number;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const SEED = 1970;
const SHORTEST = 8;
const LONGEST = 35;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz-';

/** Gives the same numbers in every run. */
export function seeded(): Random {
  return randomFrom(SEED);
}

/**
 * Moves `count` random elements to the front, in place. All choices and orders are equally likely (Fisher and Yates).
 */
export function shuffle<T extends { [index: number]: K; length: number }, K>(
  list: T,
  random: Random,
  count: number = list.length,
): T {
  for (let i = 0; i < count; i++) {
    const j = i + random(list.length - i);
    [list[i], list[j]] = [list[j] as K, list[i] as K];
  }
  return list;
}

/** Keys to add and to look up, all of them distinct. */
export interface KeyLists<Keys> {
  /** The keys that are added. */
  readonly present: Keys;
  /** The same keys in a different order, as different objects. */
  readonly again: Keys;
  /** As many keys that are not added. */
  readonly absent: Keys;
}

/** Maps each number below 2^32 to a different 32-bit integer: multiplication by an odd number keeps them distinct. */
function scattered(number: number): number {
  return Math.imul(number, 0x9e3779b1) >>> 0;
}

/**
 * @param from makes `count` keys, one for each number from `first` on
 */
export function listsOf<T extends { [index: number]: unknown; length: number }>(
  count: number,
  from: (first: number, count: number) => T,
): KeyLists<T> {
  return { present: from(0, count), again: shuffle(from(0, count), seeded()), absent: from(count, count) };
}

export function makeIntegers(count: number): KeyLists<Uint32Array> {
  return listsOf(count, (first) => new Uint32Array(count).map((_, i) => scattered(first + i)));
}

/** Strings of 8 to 35 ASCII characters. Like strings read from a file, they are flat and have no hash stored yet. */
function namesFrom(first: number, count: number): string[] {
  const random = randomFrom(SEED + first);
  return Array.from({ length: count }, (_, i) => {
    let name = scattered(first + i)
      .toString(36)
      .padStart(SHORTEST, '-');
    const length = SHORTEST + random(LONGEST - SHORTEST + 1);
    while (name.length < length) name += LETTERS.charAt(random(LETTERS.length));
    return decoder.decode(encoder.encode(name));
  });
}

export function makeNames(count: number): KeyLists<readonly string[]> {
  return listsOf(count, namesFrom);
}
