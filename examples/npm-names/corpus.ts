// The names that `npm start` measures with, in random order.

import { shuffle } from '../../bench/shared/random.ts';
import { seededRandom } from '../names.ts';

/** The share of the names kept out of the filter, so that absent names are as real as present ones. */
const HELD_OUT = 0.1;

/** Returns a random whole number from 0 to below `limit`. */
export type Random = (limit: number) => number;

/** Names to be added and names to be held out, both in random order, so that each is elsewhere on the heap. */
export interface Corpus {
  readonly present: readonly string[];
  readonly absent: readonly string[];
  readonly random: Random;
}

export function makeCorpus(names: readonly string[], seed: number): Corpus {
  const next = seededRandom(seed);
  const random: Random = (limit) => Math.floor(next() * limit);
  const shuffled = shuffle([...names], random);
  const heldOut = Math.round(HELD_OUT * names.length);
  return { present: shuffled.slice(heldOut), absent: shuffled.slice(0, heldOut), random };
}

export function sampleOf(names: readonly string[], count: number, random: Random): string[] {
  return Array.from({ length: count }, () => names[random(names.length)] as string);
}

/**
 * The same names as new strings, in another order than in memory. A program has the strings that it looks up from a
 * request or a file. V8 keeps a string's hash in the string, so a Set finds one faster that it has seen before.
 */
export function copyOf(names: readonly string[], random: Random): string[] {
  return shuffle(structuredClone([...names]), random);
}
