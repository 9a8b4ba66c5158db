// The keys of `npm run bench:rates`, the same in every run. All keys of a set are distinct.

import { randomFrom } from '../test/random.ts';
import { shuffle } from './shuffle.ts';

const SEED = 1970;
/** Times an odd number, different numbers below 2^32 stay different. */
const ODD = 0x9e3779b1;
const SHORTEST = 8;
const LONGEST = 35;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz-';

export interface KeySet<Keys> {
  /** What they are: `integers`. */
  readonly name: string;
  /** The keys that are added. */
  readonly present: Keys;
  /** The same keys in a different order. */
  readonly again: Keys;
  /** As many keys that are not added. */
  readonly absent: Keys;
}

function integersFrom(first: number, count: number): Uint32Array {
  const integers = new Uint32Array(count);
  for (let i = 0; i < count; i++) integers[i] = Math.imul(first + i, ODD);
  return integers;
}

export function makeIntegers(count: number): KeySet<Uint32Array> {
  return {
    name: 'integers',
    present: integersFrom(0, count),
    again: shuffle(integersFrom(0, count), randomFrom(SEED)),
    absent: integersFrom(count, count),
  };
}

/** Like strings that were read from a file, these are flat. */
function namesFrom(first: number, count: number): string[] {
  const random = randomFrom(SEED + first);
  return Array.from({ length: count }, (_, i) => {
    let name = (Math.imul(first + i, ODD) >>> 0).toString(36).padStart(SHORTEST, '-');
    const length = SHORTEST + random(LONGEST - SHORTEST + 1);
    while (name.length < length) name += LETTERS.charAt(random(LETTERS.length));
    return Buffer.from(name).toString('latin1');
  });
}

export function makeNames(count: number): KeySet<readonly string[]> {
  return {
    name: 'names',
    present: namesFrom(0, count),
    again: shuffle(namesFrom(0, count), randomFrom(SEED)),
    absent: namesFrom(count, count),
  };
}
