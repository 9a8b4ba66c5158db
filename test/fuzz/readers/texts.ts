// Columns and texts, which come as they are from elsewhere. What a filter answers about one of them is compared with what
// it answers about its keys one by one. Also texts that the command line cuts into lines and fields.

import { isUtf8 } from 'node:buffer';
import { BloomFilter } from 'bloomery';
import { CommandError } from '../../../cli/errors.ts';
import type { Chunks } from '../../../cli/text/bytes.ts';
import { type Section, slicesOf } from '../../../cli/text/cut.ts';
import type { TextFormat } from '../../../cli/text/format.ts';
import { countRecords, keysOf } from '../../../cli/text/records.ts';
import { collect, join } from '../../../cli/text/sections.ts';
import { selectBy, selectIn, selectInto } from '../../../cli/text/select.ts';
import { BlockedBloomFilter, type ColumnOffsets, column, type Key, lines } from '../../../src/index.ts';
import { formatWith } from '../../cli/format.ts';
import { edge } from '../damage/bytes.ts';
import { areSame, attempt, type Outcome, pick, type Random, type Reader, require } from '../subject.ts';

/** A filter with some, but not all, of the keys that the readers make. */
const known = new BlockedBloomFilter({ capacity: 100, errorRate: 0.01 }).addMany(['', '1', 'a', 'ab\r', 'b', 7, -1]);

const isRangeError = (error: unknown): boolean => error instanceof RangeError && error.message.length > 10;

function flagsOf(keys: readonly Key[]): Uint8Array {
  return Uint8Array.from(keys, (key) => (known.has(key) ? 1 : 0));
}

/** Text with so many line ends, digits and letters that keys repeat. */
function randomText(random: Random, length: number): Uint8Array {
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
    const wanted = wholeLines(text);
    require(made.count() === wanted.length, 'lines are counted');
    const flags = known.hasMany(made);
    const keys = wanted.map((line) => Buffer.from(line.replace(crlf ? /\r?\n$/ : /\n$/, ''), 'latin1'));
    require(areSame(flags, flagsOf(keys)), 'a text has the answers of its lines');
    const omitted = wanted.filter((_, i) => flags[i] === 0);
    require(Buffer.from(known.omit(made).bytes).toString('latin1') === omitted.join(''), 'lines are omitted whole');
    return 'read';
  },
};

export const keyReaders: readonly Reader[] = [columns, texts];

const isCommandError = (error: unknown): boolean => error instanceof CommandError && error.message.length > 10;

const few = new BloomFilter({ bits: 500, hashes: 2 }).addMany(['', 'a', '1', 'b\r']);

/** White space around a text of bytes. */
const BLANKS = String.raw`(?:[\t-\r ]|\xc2\xa0|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80|\xef\xbb\xbf)*`;
const AROUND = new RegExp(`^${BLANKS}|${BLANKS}$`, 'g');

function lowerCase(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  if (isUtf8(bytes)) return Buffer.from(bytes.toString().toLowerCase()).toString('latin1');
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The lines of a text of bytes, each with its end. */
function wholeLines(text: Uint8Array, end = '\n'): string[] {
  const latin = Buffer.from(text).toString('latin1');
  return latin.split(new RegExp(`(?<=${end})`)).filter((line) => line !== '');
}

/** The key of each line of a text of bytes, as the options say. */
function keysSlowly(
  lines: readonly string[],
  { separator, crlf, fields, delimiter, trim, ignoreCase }: TextFormat,
): string[] {
  const end = String.fromCharCode(separator);
  return lines.map((line) => {
    const whole = line.endsWith(end) ? line.slice(0, -1) : line;
    const comma = Buffer.from(delimiter).toString('latin1');
    const found = fields.length === 0 ? [whole] : whole.split(comma);
    const wanted = (fields.length === 0 ? [1] : fields).flatMap((field) => {
      if (typeof field === 'number') return [field];
      const from = 'from' in field ? field.from : 0;
      return Array.from({ length: Math.max(1, found.length - from + 1) }, (_, i) => from + i);
    });
    const key = wanted
      .map((field) => {
        const value = found[field - 1] ?? '';
        const isLast = found.length === field && line.endsWith(end);
        const cut = crlf && isLast && value.endsWith('\r') ? value.slice(0, -1) : value;
        return trim ? cut.replace(AROUND, '') : cut;
      })
      .join(comma);
    return ignoreCase ? lowerCase(key) : key;
  });
}

const fields: Reader = {
  name: 'lines and fields',
  share: 50_000,
  run(subject): Outcome {
    const { random } = subject;
    const text = randomText(random, random(60));
    for (let i = random(8); i > 0 && text.length > 0; i--)
      text[random(text.length)] = pick(random, [0, 9, 32, 59, 65, 194, 195, 160, 164]);
    const values = {
      field: pick(random, [undefined, [1], [2], [3], [Number.MAX_SAFE_INTEGER], [2, 1], [1, 3, 2], [{ from: 2 }, 1]]),
      delimiter: pick(random, [undefined, undefined, '\t', ';', ';;', 'ä', 'ab', '\r', '\n', 'a\0']),
      null: random(3) === 0,
      'no-crlf': random(3) === 0,
      trim: random(3) === 0,
      'ignore-case': random(3) === 0,
    };
    subject.input = JSON.stringify([values, [...text]]);
    const format = attempt(() => formatWith(values), isCommandError);
    if (format === undefined) return 'refused';
    const end = values.null ? '\0' : '\n';
    const made = wholeLines(text, end);
    require(countRecords(text, format) === made.length, 'lines are counted');
    const keys = keysSlowly(made, format).map((key) => Buffer.from(key, 'latin1'));
    require(areSame(few.hasMany(keysOf(text, format)), few.hasMany(keys)), 'a text has the answers of its keys');
    const verb = pick(random, ['pick', 'omit'] as const);
    const selected = made.filter((_, i) => few.has(keys[i] as Buffer) === (verb === 'pick'));
    const wanted = Buffer.from(selected.join(''), 'latin1');
    const memory = text.slice();
    const length = selectInto(memory, text, format, selectBy(few, verb));
    require(areSame(memory.subarray(0, length), wanted), 'lines are selected by their keys');
    require(areSame(selectIn(text, format, selectBy(few, verb)), wanted), 'so they are in one go');
    require(areSame(Buffer.concat([...slicesOf(text, format)]), text), 'blocks are the text');
    return 'read';
  },
};

/** The text of several files, as sections of whole lines. */
async function* sectionsOf(texts: readonly Uint8Array[]): AsyncGenerator<Section> {
  for (const bytes of texts) if (bytes.length > 0) yield { mark: new Uint8Array(0), bytes };
}

const joined: Reader = {
  name: 'texts of several files',
  share: 10_000,
  async run(subject): Promise<Outcome> {
    const { random } = subject;
    const texts = Array.from({ length: 1 + random(3) }, () => randomText(random, random(12)));
    subject.input = JSON.stringify(texts.map((text) => [...text]));
    const format = formatWith({ 'no-crlf': random(2) === 0 });
    const text = await collect(join(sectionsOf(texts), format) as Chunks, random(8));
    const keysIn = (each: Uint8Array): string[] => keysSlowly(wholeLines(each), format);
    const [found, wanted] = [keysIn(text), texts.flatMap(keysIn)].map((keys) => JSON.stringify(keys));
    require(found === wanted, 'the joined text has the keys of all texts');
    return 'read';
  },
};

export const textReaders: readonly Reader[] = [fields, joined];
