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
const random = randomFrom(2);

function words(characters: ArrayLike<string>, count: number): string[] {
  const pick = (): string => characters[random(characters.length)] ?? '';
  return Array.from({ length: count }, () => Array.from({ length: random(24) }, pick).join(''));
}

/** Strings up to a chunk of bytes, which is 96 KiB, and longer ones. */
const longStrings = ['a', 'é', '漢', '😀', '\ud800'].flatMap((each) => {
  const most = Math.floor(98_304 / encoder.encode(each).length);
  return [31, 32, 33, 48, 49, 160, 161, 1000, most, most + 1].map((length) => each.repeat(length));
});

const plain = 'the quick brown fox jumps over the lazy dog '.repeat(50);
const wide = plain.replaceAll('x', '漢');
/** Strings that engines keep as references to other strings: parts and concatenations. */
const derivedStrings = Array.from({ length: FEW }, (_, i) => {
  const [from, to] = [3 * i, 3 * i + 40];
  return i % 2 === 0 ? plain.slice(from, to) : wide.slice(from, to) + plain.slice(from, from + i);
});

const byteKeys = words(['a', 'é', '漢', '😀', '\0', '\n'], FEW).map((word) =>
  encoder.encode(word).subarray(word.length % 3),
);
const ends = [0];
for (const { length } of byteKeys) ends.push((ends.at(-1) ?? 0) + length);

// None is empty: a newline at the very end would end the text instead of adding a line.
const lineWords = words(['a', 'b', ' ', 'é', '漢', '😀', '\r'], COUNT).map((word, at) => `${word}${at}`);
const numbers = Array.from({ length: COUNT }, () => random(2 ** 32));
const signed64 = Array.from({ length: FEW }, () =>
  BigInt.asIntN(64, BigInt(random(2 ** 32)) * BigInt(random(2 ** 32))),
);
const mixed = awkwardKeys(COUNT, 4);
const fewMixed = mixed.slice(-FEW);

function list(name: string, keys: readonly Key[]): Input {
  return { name, many: () => keys, singles: keys };
}

export const inputs: readonly Input[] = [
  list('ASCII strings', words('abcdefghijklmnopqrstuvwxyz0123456789-_./@ ', COUNT)),
  list('Latin-1 strings', words('aeéèüßñÿ\u0080\u007f', FEW)),
  list('astral strings', words(['😀', '👨‍👩‍👧', '𝒳', 'a', '漢'], FEW)),
  list('lone surrogates', words(['\ud800', '\udbff', '\udc00', '\udfff', 'a', 'é'], FEW)),
  list('long strings', longStrings),
  list('derived strings', derivedStrings),
  list('bytes', byteKeys),
  list('numbers', [...numbers.slice(0, FEW).flatMap((number) => [number, 2 ** 21 * (number | 0)]), -0]),
  list('bigints', [...signed64, -(2n ** 63n), 2n ** 64n - 1n]),
  list('many keys of all types', mixed),
  list(MIXED, fewMixed),
  { name: 'a Uint32Array', many: () => Uint32Array.from(numbers), singles: numbers },
  { name: 'a BigInt64Array', many: () => BigInt64Array.from(signed64), singles: signed64 },
  { name: 'a generator', many: () => fewMixed.values(), singles: fewMixed },
  // All end with \r\n but the last.
  { name: 'lines', many: () => lines(encoder.encode(lineWords.join('\r\n'))), singles: lineWords },
  { name: 'a column', many: () => column(concat(byteKeys), Int32Array.from(ends)), singles: byteKeys },
];
