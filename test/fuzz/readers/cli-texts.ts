// Texts that the command line reads, cut into lines and fields.

import { isUtf8 } from 'node:buffer';
import { BloomFilter } from 'bloomery';
import { CommandError } from '../../../cli/errors.ts';
import type { Chunks } from '../../../cli/text/bytes.ts';
import { type Section, slicesOf } from '../../../cli/text/cut.ts';
import type { TextFormat } from '../../../cli/text/format.ts';
import { countRecords, keysOf } from '../../../cli/text/records.ts';
import { collect, join } from '../../../cli/text/sections.ts';
import { selectBy, selectIn, selectInto } from '../../../cli/text/select.ts';
import { formatWith } from '../../cli/format.ts';
import { areSame, attempt, type Outcome, pick, type Reader, require } from '../subject.ts';
import { randomText } from './keys.ts';

const isCommandError = (error: unknown): boolean => error instanceof CommandError && error.message.length > 10;

const known = new BloomFilter({ bits: 500, hashes: 2 }).addMany(['', 'a', '1', 'b\r']);

/** White space around a text of bytes. */
const BLANKS = String.raw`(?:[\t-\r ]|\xc2\xa0|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80|\xef\xbb\xbf)*`;
const AROUND = new RegExp(`^${BLANKS}|${BLANKS}$`, 'g');

/** A text of bytes in lower case. */
function lowerCase(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  if (isUtf8(bytes)) return Buffer.from(bytes.toString().toLowerCase()).toString('latin1');
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The lines of a text of bytes, each with its end. */
function linesIn(text: Uint8Array, end = '\n'): string[] {
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
    const lines = linesIn(text, end);
    require(countRecords(text, format) === lines.length, 'lines are counted');
    const keys = keysSlowly(lines, format).map((key) => Buffer.from(key, 'latin1'));
    require(areSame(known.hasMany(keysOf(text, format)), known.hasMany(keys)), 'a text has the answers of its keys');
    const verb = pick(random, ['pick', 'omit'] as const);
    const wanted = Buffer.from(
      lines.filter((_, i) => known.has(keys[i] as Buffer) === (verb === 'pick')).join(''),
      'latin1',
    );
    const memory = text.slice();
    const length = selectInto(memory, text, format, selectBy(known, verb));
    require(areSame(memory.subarray(0, length), wanted), 'lines are selected by their keys');
    require(areSame(selectIn(text, format, selectBy(known, verb)), wanted), 'so they are in one go');
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
    const keysIn = (each: Uint8Array): string[] => keysSlowly(linesIn(each), format);
    const [found, wanted] = [keysIn(text), texts.flatMap(keysIn)].map((keys) => JSON.stringify(keys));
    require(found === wanted, 'the joined text has the keys of all texts');
    return 'read';
  },
};

export const textReaders: readonly Reader[] = [fields, joined];
