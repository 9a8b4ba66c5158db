// The keys of the benchmark, in the forms that the contenders take.

import { type KeyLists, shuffle } from '../../../bench/shared/random.ts';
import { randomFrom } from '../../../test/shared/random.ts';
import type { Temperature } from './run.ts';

const SEED = 1970;

/** The same keys as strings, and as lines of a text. */
export interface Keys {
  readonly strings: readonly string[];
  readonly text: Uint8Array;
}

/** All keys of a run. */
export type KeySet = KeyLists<Keys>;

const encoder = new TextEncoder();

/**
 * New strings with the same characters, one after another in memory, without hashes stored in them. Made from character
 * codes, because Chromium returns the same string again for bytes that it has decoded before.
 */
function renewed(strings: readonly string[]): string[] {
  const codes: number[] = [];
  return strings.map((text) => {
    codes.length = text.length;
    for (let i = 0; i < text.length; i++) codes[i] = text.charCodeAt(i);
    return String.fromCharCode(...codes);
  });
}

const GARBAGE_BYTES = 2 ** 26;
const GARBAGE_PART = 2 ** 10;

/** Makes garbage, so that older strings are moved to their final place now. Later, they would be in their new order. */
function settle(): number {
  let length = 0;
  for (let made = 0; made < GARBAGE_BYTES; made += GARBAGE_PART) {
    length += new Array<number>(GARBAGE_PART / 8).fill(made).length;
  }
  return length;
}

/** The strings as they are used at a temperature. */
function prepared(strings: readonly string[], temperature: Temperature, random: (limit: number) => number): string[] {
  const fresh = renewed(strings);
  if (temperature === 'warm') return fresh;
  settle();
  return shuffle(fresh, random);
}

function keysOf(strings: readonly string[]): Keys {
  return { strings, text: encoder.encode(strings.join('\n')) };
}

/** Makes the keys of a round, as new objects. */
export function renewKeys(lists: KeyLists<readonly string[]>, temperature: Temperature): KeySet {
  const random = randomFrom(SEED);
  const keys = (name: keyof KeySet): Keys => keysOf(prepared(lists[name], temperature, random));
  return { present: keys('present'), again: keys('again'), absent: keys('absent') };
}
