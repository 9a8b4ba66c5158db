// Every form in which keys can be given.

import { column, type Key, type Keys, lines } from 'bloomery';
import { awkwardKeys, awkwardStrings } from '../../shared/awkward.ts';
import { randomFrom } from '../../shared/random.ts';

export interface Input {
  readonly name: string;
  /** The keys in this form. A generator is made anew by each call. */
  many(): Keys;
  /** The same keys, one by one. */
  readonly singles: readonly Key[];
}

/** More than a chunk of keys, which is 4096. One input of each form has this number of keys. */
const COUNT = 4500;
/**
 * The others have fewer, which run the same code. With more, the four realms of a page together took 3 GB, and
 * WebKitGTK, once it runs short of memory, holds up every allocation while it gives pages back, for minutes.
 */
const FEW = 1000;

const encoder = new TextEncoder();

function words(characters: ArrayLike<string>, seed: number, count: number): string[] {
  const random = randomFrom(seed);
  const pick = (): string => characters[random(characters.length)] ?? '';
  return Array.from({ length: count }, () => Array.from({ length: random(24) }, pick).join(''));
}

/** Strings longer than a chunk of bytes, which is 96 KiB, and up to it. */
function longStrings(): string[] {
  const lengths = [31, 32, 33, 48, 49, 160, 161, 1000, 32_767, 32_769, 98_305];
  return lengths.flatMap((length) => ['a', 'é', '漢', '😀', '\ud800'].map((each) => each.repeat(length)));
}

/** Strings that engines keep as references to other strings: parts and concatenations. */
function derivedStrings(): string[] {
  const ascii = 'the quick brown fox jumps over the lazy dog '.repeat(100);
  const wide = ascii.replaceAll('x', '漢');
  return Array.from({ length: 1000 }, (_, i) => {
    const [from, to] = [3 * i, 3 * i + 40];
    return i % 2 === 0 ? ascii.slice(from, to) : wide.slice(from, to) + ascii.slice(from, from + i);
  });
}

function integers(seed: number): number[] {
  const random = randomFrom(seed);
  return Array.from({ length: COUNT }, () => random(2 ** 32));
}

function byteKeys(): Uint8Array[] {
  return words(['a', 'é', '漢', '😀', '\0', '\n'], 5, FEW).map((word) =>
    encoder.encode(word).subarray(word.length % 3),
  );
}

/** Words with a terminator after each, but none after the last, and not all of them the same. */
function text(parts: readonly string[], terminators: readonly string[]): Uint8Array<ArrayBuffer> {
  const last = parts.length - 1;
  return encoder.encode(
    parts.map((part, at) => (at === last ? part : part + terminators[at % terminators.length])).join(''),
  );
}

function list(name: string, keys: readonly Key[]): Input {
  return { name, many: () => keys, singles: keys };
}

function columnOf(
  name: string,
  count: number,
  offsetsOf: (ends: readonly number[]) => Int32Array | Uint32Array | BigInt64Array,
): Input {
  const keys = words(['a', 'b', 'é', '漢', '😀'], 6, count).map((word) => encoder.encode(word));
  const ends = [0];
  for (const { length } of keys) ends.push((ends.at(-1) ?? 0) + length);
  const data = new Uint8Array(ends.at(-1) ?? 0);
  keys.forEach((key, at) => {
    data.set(key, ends[at]);
  });
  return { name, many: () => column(data, offsetsOf(ends)), singles: keys };
}

// None is empty: a newline at the very end would end the text instead of adding a line.
const lineWords = words(['a', 'b', ' ', 'é', '漢', '😀', '\r'], 7, COUNT).map((word, at) => `${word}${at}`);

const ascii = words('abcdefghijklmnopqrstuvwxyz0123456789-_./@ ', 1, COUNT);
const fewStrings = ascii.slice(0, FEW);
const numbers = integers(2);
const fewNumbers = numbers.slice(0, FEW);
const signed = fewNumbers.map((number) => number | 0);
const unsigned64 = fewNumbers.map((number, at) => BigInt(number) * BigInt(numbers[COUNT - 1 - at] ?? 0));
const signed64 = unsigned64.map((number) => BigInt.asIntN(64, number));
const awkward = awkwardStrings(FEW, 3);
const mixed = awkwardKeys(COUNT, 4);
const fewLines = lineWords.slice(0, FEW);
const crlf = text(fewLines, ['\n', '\r\n']);

export const inputs: readonly Input[] = [
  list('ASCII strings', ascii),
  list('Latin-1 strings', words('aeéèüßñÿ\u0080\u007f', 8, FEW)),
  list('astral strings', words(['😀', '👨‍👩‍👧', '𝒳', 'a', '漢'], 9, FEW)),
  list('lone surrogates', words(['\ud800', '\udbff', '\udc00', '\udfff', 'a', 'é'], 10, FEW)),
  list('awkward strings', awkward),
  list('long strings', longStrings()),
  list('derived strings', derivedStrings()),
  list('bytes', byteKeys()),
  list('numbers', [...fewNumbers, ...signed.map((number) => 2 ** 21 * number), -0]),
  list('bigints', [...unsigned64, ...signed64, -(2n ** 63n), 2n ** 64n - 1n]),
  list('keys of all types', mixed),
  { name: 'a Uint32Array', many: () => Uint32Array.from(numbers), singles: numbers },
  { name: 'an Int32Array', many: () => Int32Array.from(signed), singles: signed },
  { name: 'a BigUint64Array', many: () => BigUint64Array.from(unsigned64), singles: unsigned64 },
  { name: 'a BigInt64Array', many: () => BigInt64Array.from(signed64), singles: signed64 },
  { name: 'a generator', many: () => mixed.values(), singles: mixed },
  { name: 'a Set', many: () => new Set(fewStrings), singles: [...new Set(fewStrings)] },
  { name: 'lines', many: () => lines(text(lineWords, ['\n'])), singles: lineWords },
  { name: 'lines with \\r\\n', many: () => lines(crlf), singles: fewLines },
  {
    name: 'lines with \\r kept',
    many: () => lines(crlf, { crlf: false }),
    singles: new TextDecoder().decode(crlf).split('\n'),
  },
  columnOf('a column, Int32Array', COUNT, (ends) => Int32Array.from(ends)),
  columnOf('a column, Uint32Array', FEW, (ends) => Uint32Array.from(ends)),
  columnOf('a column, BigInt64Array', FEW, (ends) => BigInt64Array.from(ends, BigInt)),
];
