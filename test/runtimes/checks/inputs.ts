// Every form in which keys can be given.

import { column, type Key, type Keys, lines } from 'bloomery';
import { awkwardKeys } from '../../shared/awkward.ts';
import { randomFrom } from '../../shared/random.ts';
import { concat } from '../../shared/stream-tools.ts';

export interface Input {
  readonly name: string;
  /** The keys in this form. A generator is made anew by each call. */
  many(): Keys;
  /** The same keys, one by one. */
  readonly singles: readonly Key[];
}

/** More than a chunk of keys, which is 4096. One input of each form has this number of keys. */
const COUNT = 4100;
/** The others have fewer, which run the same code. */
const FEW = 500;

/** The input for all kinds. */
export const MIXED = 'keys of all types';

const encoder = new TextEncoder();

function words(characters: ArrayLike<string>, seed: number, count: number): string[] {
  const random = randomFrom(seed);
  const pick = (): string => characters[random(characters.length)] ?? '';
  return Array.from({ length: count }, () => Array.from({ length: random(24) }, pick).join(''));
}

/** Strings up to a chunk of bytes, which is 96 KiB, and longer ones. */
function longStrings(): string[] {
  return ['a', 'é', '漢', '😀', '\ud800'].flatMap((each) => {
    const most = Math.floor(98_304 / encoder.encode(each).length);
    return [31, 32, 33, 48, 49, 160, 161, 1000, most, most + 1].map((length) => each.repeat(length));
  });
}

/** Strings that engines keep as references to other strings: parts and concatenations. */
function derivedStrings(): string[] {
  const ascii = 'the quick brown fox jumps over the lazy dog '.repeat(50);
  const wide = ascii.replaceAll('x', '漢');
  return Array.from({ length: FEW }, (_, i) => {
    const [from, to] = [3 * i, 3 * i + 40];
    return i % 2 === 0 ? ascii.slice(from, to) : wide.slice(from, to) + ascii.slice(from, from + i);
  });
}

const byteKeys = words(['a', 'é', '漢', '😀', '\0', '\n'], 5, FEW).map((word) =>
  encoder.encode(word).subarray(word.length % 3),
);

/** Keys one after another, and where each begins and the last one ends. */
function packed(keys: readonly Uint8Array[]): [data: Uint8Array, ends: number[]] {
  const ends = [0];
  for (const { length } of keys) ends.push((ends.at(-1) ?? 0) + length);
  return [concat(keys), ends];
}

function list(name: string, keys: readonly Key[]): Input {
  return { name, many: () => keys, singles: keys };
}

// None is empty: a newline at the very end would end the text instead of adding a line.
const lineWords = words(['a', 'b', ' ', 'é', '漢', '😀', '\r'], 7, COUNT).map((word, at) => `${word}${at}`);

const ascii = words('abcdefghijklmnopqrstuvwxyz0123456789-_./@ ', 1, COUNT);
const random = randomFrom(2);
const numbers = Array.from({ length: COUNT }, () => random(2 ** 32));
const signed64 = numbers
  .slice(0, FEW)
  .map((number, at) => BigInt.asIntN(64, BigInt(number) * BigInt(numbers[COUNT - 1 - at] ?? 0)));
const mixed = awkwardKeys(COUNT, 4);
const fewMixed = mixed.slice(-FEW);
const [joined, ends] = packed(byteKeys);

export const inputs: readonly Input[] = [
  list('ASCII strings', ascii),
  list('Latin-1 strings', words('aeéèüßñÿ\u0080\u007f', 8, FEW)),
  list('astral strings', words(['😀', '👨‍👩‍👧', '𝒳', 'a', '漢'], 9, FEW)),
  list('lone surrogates', words(['\ud800', '\udbff', '\udc00', '\udfff', 'a', 'é'], 10, FEW)),
  list('long strings', longStrings()),
  list('derived strings', derivedStrings()),
  list('bytes', byteKeys),
  list('numbers', [...numbers.slice(0, FEW).flatMap((number) => [number, 2 ** 21 * (number | 0)]), -0]),
  list('bigints', [...signed64, -(2n ** 63n), 2n ** 64n - 1n]),
  list('many keys of all types', mixed),
  list(MIXED, fewMixed),
  { name: 'a Uint32Array', many: () => Uint32Array.from(numbers), singles: numbers },
  { name: 'a BigInt64Array', many: () => BigInt64Array.from(signed64), singles: signed64 },
  { name: 'a generator', many: () => fewMixed.values(), singles: fewMixed },
  {
    name: 'lines',
    // All end with \r\n but the last.
    many: () => lines(encoder.encode(lineWords.join('\r\n'))),
    singles: lineWords,
  },
  { name: 'a column', many: () => column(joined, Int32Array.from(ends)), singles: byteKeys },
];
