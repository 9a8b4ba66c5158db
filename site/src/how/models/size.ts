// How often a filter of any size errs: by the formula, and counted.

import type { Engine } from '../../engine.ts';
import { integer, percent, plural, rareRate } from '../../format.ts';
import type { Point } from '../../plot/drawing.ts';
import { wholeIn } from '../address.ts';
import { absentNames, nameAt } from '../small/names.ts';

export interface Size {
  readonly bits: number;
  readonly hashes: number;
  readonly keys: number;
}

const BEGIN: Size = { bits: 8192, hashes: 7, keys: 1000 };
const LEAST_BITS = 256;
const DOUBLINGS = 8;
const MOST_HASHES = 16;

/** What the sliders offer: two sizes for each power of two, and six numbers of keys for each power of ten. */
export const choices: Readonly<Record<keyof Size, readonly number[]>> = {
  bits: Array.from({ length: 2 * DOUBLINGS + 1 }, (_, i) => LEAST_BITS * 2 ** (i >> 1) * (i % 2 === 0 ? 1 : 1.5)),
  hashes: Array.from({ length: MOST_HASHES }, (_, i) => i + 1),
  keys: [...[10, 100, 1000].flatMap((power) => [1, 1.5, 2, 3, 5, 7].map((factor) => factor * power)), 10_000],
};

export function sizeIn(state: URLSearchParams): Size {
  const one = (name: keyof Size): number => {
    const values = choices[name];
    return wholeIn(state, name, values[0] as number, values.at(-1) as number, BEGIN[name]);
  };
  return { bits: one('bits'), hashes: one('hashes'), keys: one('keys') };
}

export function rateOf({ expectedErrorRate }: Engine, { bits, hashes, keys }: Size): number {
  return expectedErrorRate(keys, bits, hashes);
}

/** So many keys that the curve has no corners. */
const manyKeys = Array.from({ length: 121 }, (_, i) => Math.round(10 ** (1 + i / 40)));

/** The error rates if one of the numbers is another one. */
export function curve(engine: Engine, size: Size, by: 'hashes' | 'keys'): Point[] {
  const values = by === 'keys' ? manyKeys : choices.hashes;
  return values.map((value) => ({ x: value, y: rateOf(engine, { ...size, [by]: value }) }));
}

export interface Count {
  readonly wrong: number;
  readonly asked: number;
  /** The share of bits that are set. */
  readonly fill: number;
}

/** Makes the filter, fills it, and asks it for names that were never added. */
export function countErrors({ BloomFilter }: Engine, { bits, hashes, keys }: Size): Count {
  const filter = new BloomFilter({ bits, hashes });
  filter.addMany(Array.from({ length: keys }, (_, i) => nameAt(i)));
  const fill = filter.fillRatio();
  return { wrong: filter.pick(absentNames).length, asked: absentNames.length, fill };
}

/** What the choice of the number of hashes does, in a sentence. */
function aboutHashes(hashes: number, best: number, fill: number): string {
  if (hashes === best) return 'No other number of hashes errs less.';
  if (hashes > best) {
    return `Fewer hashes would err less: ${percent(Math.round(100 * fill) / 100)} of the bits are set, and half is best.`;
  }
  return `More hashes would err less: a lookup checks only ${plural(hashes, 'bit')}.`;
}

export function describeSize(size: Size, rate: number, best: number, { wrong, asked, fill }: Count): string {
  const { hashes, keys, bits } = size;
  const counted = `${integer(wrong)} of ${integer(asked)}`;
  return (
    `${integer(keys)} keys in ${integer(bits)} bits, with ${plural(hashes, 'hash', 'hashes')}: ` +
    `${rareRate(rate)} of absent keys look present by the formula, and ${counted} when counted. ` +
    aboutHashes(hashes, best, fill)
  );
}
