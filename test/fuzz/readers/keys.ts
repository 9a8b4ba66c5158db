// Columns and texts, which come as they are from elsewhere. What a filter answers about one of them is compared with what
// it answers about its keys one by one.

import { BlockedBloomFilter, type ColumnOffsets, column, type Key, lines } from '../../../src/index.ts';
import { edge } from '../damage/bytes.ts';
import { areSame, attempt, pick, type Random, type Reader, require } from '../subject.ts';

/** A filter with some, but not all, of the keys that the readers make. */
const known = new BlockedBloomFilter({ capacity: 100, errorRate: 0.01 }).addMany(['', '1', 'a', 'ab\r', 'b', 7, -1]);

const isRangeError = (error: unknown): boolean => error instanceof RangeError && error.message.length > 10;

function flagsOf(keys: readonly Key[]): Uint8Array {
  return Uint8Array.from(keys, (key) => (known.has(key) ? 1 : 0));
}

/** Text with so many line ends, digits and letters that keys repeat. */
export function randomText(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => pick(random, [10, 10, 13, 49, 97, 98, random(256)]));
}

/** A view of bytes that begins anywhere in its buffer. */
function moved(bytes: Uint8Array, offset: number): Uint8Array {
  const memory = new Uint8Array(bytes.length + offset);
  memory.set(bytes, offset);
  return memory.subarray(offset);
}

function randomOffsets(random: Random, length: number): ColumnOffsets {
  const count = random(6);
  const isGood = random(3) > 0;
  let at = random(3);
  const numbers = Array.from({ length: count }, () => {
    at += random(1 + Math.ceil(length / 3));
    return isGood ? Math.min(at, length) : pick(random, [at, random(length + 2), Number(edge(random)), -1]);
  });
  if (random(3) === 0) return BigInt64Array.from(numbers, (each) => BigInt.asIntN(64, BigInt(each)));
  return random(2) === 0 ? Int32Array.from(numbers) : Uint32Array.from(numbers);
}

/** The keys of a column; undefined if an offset decreases or lies outside. */
function keysIn(data: Uint8Array, offsets: ColumnOffsets): Uint8Array[] | undefined {
  const ends = Array.from(offsets, Number);
  if (ends.length < 2) return [];
  const isRising = ends.every((end, i) => end >= (ends[i - 1] ?? 0) && end <= data.length);
  return isRising ? ends.slice(1).map((end, i) => data.subarray(ends[i], end)) : undefined;
}

const columns: Reader = {
  name: 'column',
  share: 50_000,
  run(subject) {
    const { random } = subject;
    const data = moved(randomText(random, random(20)), random(4));
    const offsets = randomOffsets(random, data.length);
    subject.input = JSON.stringify([[...data], Array.from(offsets, String), offsets.constructor.name]);
    const keys = keysIn(data, offsets);
    const made = column(data, offsets);
    const flags = attempt(() => known.hasMany(made), isRangeError);
    require((keys === undefined) === (flags === undefined), 'a column is refused unless its offsets rise in its data');
    if (keys === undefined || flags === undefined) return 'refused';
    require(areSame(flags, flagsOf(keys)), 'a column has the answers of its keys');
    const picked = known.pick(made);
    const text = Buffer.concat(keys.filter((_, i) => flags[i] === 1));
    require(areSame(picked.data, text), 'a column is picked as its keys are');
    require(picked.length === flags.reduce((sum, flag) => sum + flag, 0), 'as many keys are picked as have a flag');
    return 'read';
  },
};

/** The lines of a text, each with its end, and as keys. */
function linesIn(text: Uint8Array, crlf: boolean): { whole: string; key: Uint8Array }[] {
  const parts =
    Buffer.from(text)
      .toString('latin1')
      .match(/[^\n]*\n|[^\n]+/g) ?? [];
  const end = crlf ? /\r?\n$/ : /\n$/;
  return parts.map((whole) => ({ whole, key: Buffer.from(whole.replace(end, ''), 'latin1') }));
}

const texts: Reader = {
  name: 'lines of a text',
  share: 50_000,
  run(subject) {
    const { random } = subject;
    // Seldom longer than the scratch, with a line that does not fit.
    const length = random(5000) === 0 ? 300_000 : random(40);
    const text = moved(random(2) === 0 ? randomText(random, length) : new Uint8Array(length).fill(97), random(4));
    if (length > 0) text[random(length)] = 10;
    subject.input = text;
    const crlf = random(2) === 0;
    const made = lines(text, { crlf });
    const wanted = linesIn(text, crlf);
    require(made.count() === wanted.length, 'lines are counted');
    const flags = known.hasMany(made);
    require(areSame(flags, flagsOf(wanted.map(({ key }) => key))), 'a text has the answers of its lines');
    const omitted = wanted.filter((_, i) => flags[i] === 0).map(({ whole }) => whole);
    require(Buffer.from(known.omit(made).bytes).toString('latin1') === omitted.join(''), 'lines are omitted whole');
    return 'read';
  },
};

export const keyReaders: readonly Reader[] = [columns, texts];
