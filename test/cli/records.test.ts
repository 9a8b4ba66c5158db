// Keys of CSV, beside the parser csv-parse, and of JSON lines, beside JSON.parse.

import type { KeyColumn } from 'bloomery';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvReader, cutCsv } from '../../cli/text/csv.ts';
import { slicesOf } from '../../cli/text/cut.ts';
import { formatOfInput, type Path, requireValid, type TextFormat, type TextValues } from '../../cli/text/format.ts';
import { countRecords, keyedIn, keysOf } from '../../cli/text/records.ts';
import { collect } from '../../cli/text/sections.ts';
import { moveFlagged } from '../../cli/text/select.ts';
import { asynchronous, splitAt } from '../format/saved.ts';
import { formatWith, keyTexts } from './format.ts';

const formatOfCsv = (values: Partial<TextValues>): TextFormat => formatWith({ csv: true, ...values });

/** The records of a text, or undefined if it is no CSV. */
function parsed(text: string, delimiter = ','): string[][] | undefined {
  return attempt(() => parse(text, { delimiter, relax_column_count: true, record_delimiter: ['\r\n', '\n'] }));
}

/** The records that a reader finds in a text that comes in two chunks, or undefined if it refuses it. */
function cutAt(text: string, at: number, format: TextFormat): string[] | undefined {
  const reader = new CsvReader(format);
  const bytes = Buffer.from(text);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const [one, other] = [reader.read(before), reader.failure ? { first: 0, last: 0 } : reader.read(after)];
  if (!reader.failure) reader.end();
  if (reader.failure) return undefined;
  const ends = [one.first, one.last, other.first && at + other.first, other.last && at + other.last];
  return [0, ...new Set(ends.filter((end) => end > 0))].map((from, i, all) =>
    bytes.subarray(from, all[i + 1]).toString(),
  );
}

const messy = fc.array(fc.constantFrom('a', 'b', '"', '"', ',', ';', '\n', '\r\n', '\r'), { maxLength: 24 });
const field = fc.array(fc.constantFrom('a', '"', ',', ';', '\n', '\r', 'ä'), { maxLength: 4 });

describe('CSV', () => {
  it('is accepted, cut and read as csv-parse does it, wherever a chunk ends', () => {
    let accepted = 0;
    const property = fc.property(messy, fc.nat(24), fc.constantFrom(',', ';'), (parts, split, delimiter) => {
      const text = parts.join('');
      const format = formatOfCsv({ delimiter });
      const records = parsed(text, delimiter);
      const cut = cutAt(text, Math.min(split, text.length), format);
      expect(cut === undefined).toBe(records === undefined);
      if (records === undefined || cut === undefined) return;
      accepted++;
      expect(cut.join('')).toBe(text);
      const bytes = Buffer.from(text);
      expect(countRecords(bytes, format)).toBe(records.length);
      // Each cut is at the end of a record.
      const counts = cut.map((each) => countRecords(Buffer.from(each), format));
      expect(counts.reduce((sum, each) => sum + each, 0)).toBe(records.length);
      for (const wanted of [1, 2, 3]) {
        const keys = keyTexts(text, formatOfCsv({ delimiter, field: [wanted] }));
        expect(keys).toEqual(records.map((record) => record[wanted - 1] ?? ''));
      }
      const flags = Uint8Array.from(records, (_, i) => i % 2);
      const memory = new Uint8Array(bytes);
      const length = moveFlagged(memory, 0, format, flags);
      const selected = Buffer.from(memory.subarray(0, length)).toString();
      expect(parsed(selected, delimiter)).toEqual(records.filter((_, i) => i % 2));
    });
    fc.assert(property, { numRuns: 3000, seed: 36 });
    expect(accepted).toBeGreaterThan(1000);
  });

  it('gives different records different keys of several fields, however they are quoted', () => {
    const record = fc.tuple(field, field, fc.boolean());
    const written = (cells: readonly string[][], isQuoted: boolean): string =>
      cells
        .map((cell) => cell.join(''))
        .map((cell) => (isQuoted || /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
        .join(',');
    const format = formatOfCsv({ field: [1, 2] });
    const property = fc.property(record, record, ([a, b, isQuoted], [c, d, isOther]) => {
      const keys = keyTexts(`${written([a, b], isQuoted)}\r\n${written([c, d], isOther)}\n`, format);
      expect(keys[0] === keys[1]).toBe(a.join('') === c.join('') && b.join('') === d.join(''));
      // The key is such a record itself, so it can be looked up as one.
      expect(parsed(keys[0] as string)?.[0] ?? ['', '']).toEqual([a.join(''), b.join('')]);
      const reversed = keyTexts(`${written([b, a], isQuoted)}\n`, format);
      expect(keyTexts(`${written([a, b], isQuoted)}\n`, formatOfCsv({ field: [2, 1] }))).toEqual(reversed);
    });
    fc.assert(property, { numRuns: 2000, seed: 36 });
  });

  it('is cut into blocks of whole records', () => {
    const record = `1,"${'x\n'.repeat(1000)}"\n`;
    const text = Buffer.from(record.repeat(200));
    const blocks = [...slicesOf(text, formatOfCsv({}))];
    expect(Buffer.concat(blocks).equals(text)).toBe(true);
    for (const block of blocks) expect(block.length % record.length).toBe(0);
    // 32 of them are just below 64 KiB.
    expect(blocks[0]?.length).toBe(32 * record.length);
    const long = Buffer.from(`"${'\n'.repeat(100_000)}"\n1\n`);
    expect([...slicesOf(long, formatOfCsv({}))].map(({ length }) => length)).toEqual([100_003, 2]);
  });

  it('that is wrong has the number of the line, and ends where memory would be filled', async () => {
    const read = async (...chunks: string[]): Promise<string | undefined> => {
      const format = formatOfCsv({});
      const sections = cutCsv('a.csv', asynchronous(chunks.map((chunk) => Buffer.from(chunk))), format);
      try {
        for await (const section of sections) expect(section.length).toBeGreaterThan(0);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(await read('1,2\n"3\n",4\n', '5,"6"\r\n')).toBeUndefined();
    const within = 'a quote within a field that does not begin with one';
    expect(await read('1,2\n"3\n",4\n5', ' "6"\n')).toBe(`'a.csv', line 4 is not CSV: ${within}`);
    const between = 'text between the end of a field in quotes and the delimiter';
    expect(await read('1\n"2', '" 3\n')).toBe(`'a.csv', line 2 is not CSV: ${between}`);
    expect(await read('1\n"2"\r3')).toBe(`'a.csv', line 2 is not CSV: ${between}`);
    expect(await read('1\n"2\n3\n')).toBe("'a.csv', line 2 is not CSV: its last quote is not closed");
    // Without CRLF, the carriage return is such a text.
    expect(cutAt('"1"\r\n', 0, formatOfCsv({ 'no-crlf': true }))).toBeUndefined();
    const megabyte = 'x\n'.repeat(2 ** 19);
    const long = "'a.csv', line 1 is not CSV: longer than 67.1 MB; is a quote not closed?";
    const tooLong = ['"', ...Array.from({ length: 64 }, () => megabyte), '"\n'];
    expect(await read(...tooLong, '1\n')).toBe(long);
    // What follows the first line is read again, in parts, up to another quote that is not closed.
    const chunks = [...tooLong, '1', '\n'].map((chunk) => Buffer.from(chunk));
    const lengths: number[] = [];
    let last: Uint8Array | undefined;
    for await (last of cutCsv('a', asynchronous(chunks), formatOfCsv({ 'skip-invalid': true })))
      lengths.push(last.length);
    expect([Math.max(...lengths), lengths.reduce((sum, length) => sum + length)]).toEqual([2 ** 20, 2 ** 26]);
    expect(Buffer.from(last as Uint8Array).toString()).toBe('1\n');
  });

  it('that is wrong loses the first line of each wrong record where these are left out, wherever a chunk ends', async () => {
    /** The records that are right from a line on, found slowly: those of the longest right beginning, and so on. */
    const right = (lines: readonly string[]): string[] => {
      for (let from = 0; from < lines.length; from++) {
        for (let to = lines.length; to > from; to--) {
          const text = lines.slice(from, to).join('');
          // A record ends there, not within its quotes.
          if (parsed(text) && parsed(`${text}x`)?.length !== parsed(text)?.length) {
            return [...(parsed(text)?.length ? [text] : []), ...right(lines.slice(to))];
          }
        }
      }
      return [];
    };
    const property = fc.asyncProperty(messy, fc.array(fc.nat(24), { maxLength: 3 }), async (parts, ends) => {
      const text = `${parts.join('').replaceAll('\r', '')}\n`;
      const format = formatOfCsv({ 'skip-invalid': true });
      const chunks = asynchronous(splitAt(new Uint8Array(Buffer.from(text)), ends));
      const found = Buffer.from(await collect(cutCsv('a', chunks, format), 9)).toString();
      const lines = text.split(/(?<=\n)/);
      expect(found).toBe(right(lines).join(''));
      expect(format.tally.invalid).toBe(lines.length - found.split(/(?<=\n)/).filter(Boolean).length);
    });
    await fc.assert(property, { numRuns: 2000, seed: 36 });
    // What is left at the end may be wrong too.
    const end = cutCsv('a', asynchronous([Buffer.from('"\n""\r')]), formatOfCsv({ 'skip-invalid': true }));
    expect(await collect(end, 9)).toHaveLength(0);
  });
});

function keysIn(text: string | Uint8Array, paths: readonly Path[], lacking?: { lines: number }): string[] {
  const format = formatWith({ 'json-field': paths });
  const keys = keyTexts(text, format);
  requireValid(format);
  if (lacking) lacking.lines = format.tally.lacking;
  return keys;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, name) => {
    const isObject = typeof at === 'object' && at !== null && !Array.isArray(at);
    return isObject && Object.hasOwn(at, name) ? (at as Record<string, unknown>)[name] : undefined;
  }, value);
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

const name = fc.constantFrom('a', 'a', 'b', '__proto__', 'ä\n"', '\\');
const { value, object } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, -1.5e300, 1e-7, 'x', 'ä"\\\n\u{1f600}', ''),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }).map((members) => ({ members })),
}));

/** JSON as somebody may write it: names may come twice, characters may be escaped, and blanks are anywhere. */
function written(from: unknown, random: () => number): string {
  const blank = (): string => [' ', '\t', '\r', '', '', ''][random() % 6] as string;
  const text = (of: string): string =>
    random() % 2
      ? JSON.stringify(of)
      : `"${[...of].map((c) => [...Array(c.length).keys()].map((i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')).join('')}"`;
  const inside = (): string => {
    if (typeof from === 'string') return text(from);
    if (Array.isArray(from)) return `[${from.map((each) => written(each, random)).join(',')}${blank()}]`;
    if (typeof from === 'object' && from !== null) {
      const { members } = from as { members: [string, unknown][] };
      const all = members.map(([key, of]) => `${blank()}${text(key)}${blank()}:${written(of, random)}`);
      return `{${all.join(',')}${blank()}}`;
    }
    return JSON.stringify(from);
  };
  return blank() + inside() + blank();
}

/** What it means. V8 of Node 24 and 26 reads it wrongly where a name is escaped and comes twice. */
function meaning(from: unknown): unknown {
  if (Array.isArray(from)) return from.map(meaning);
  if (typeof from !== 'object' || from === null) return from;
  const { members } = from as { members: [string, unknown][] };
  return Object.fromEntries(members.map(([key, of]) => [key, meaning(of)]));
}

/** The value of such a text, whose characters are first written without numbers. */
function valueIn(text: string): unknown {
  const unescaped = text.replace(/\\u([0-9a-f]{4})/g, (_, unit: string) =>
    JSON.stringify(String.fromCharCode(Number.parseInt(unit, 16))).slice(1, -1),
  );
  return JSON.parse(unescaped);
}

const paths = fc.uniqueArray(fc.array(name, { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 3,
  selector: (path) => JSON.stringify(path),
});

describe('JSON lines', () => {
  it('have the values that were written', () => {
    let found = 0;
    const property = fc.property(object, paths, fc.infiniteStream(fc.nat(1000)), (from, wanted, numbers) => {
      const line = written(from, () => numbers.next().value);
      const whole = meaning(from);
      const values = wanted.map((path) => valueAt(whole, path));
      const lacking = { lines: 0 };
      const [key = ''] = keysIn(line, wanted, lacking);
      expect(lacking.lines).toBe(values.includes(undefined) ? 1 : 0);
      if (values.some((each) => each !== undefined)) found++;
      // What jq -r prints, and jq -c of several in an array, each as a string.
      const isSingle = wanted.length === 1;
      const texts: unknown = isSingle ? [key] : JSON.parse(key);
      const meant = (texts as string[]).map((text, i) => (typeof values[i] === 'string' ? text : valueIn(text)));
      expect(meant).toEqual(values.map((each) => each ?? null));
    });
    fc.assert(property, { numRuns: 2000, seed: 36 });
    expect(found).toBeGreaterThan(200);
  });

  it('are refused where JSON.parse refuses them, and nowhere else', () => {
    let refused = 0;
    const characters = [...'{}[]":,\\ubn0123.eE+-truefalsnl \t\u0001ä'];
    const property = fc.property(
      value,
      fc.infiniteStream(fc.nat(1000)),
      fc.array(fc.tuple(fc.nat(1000), fc.constantFrom(...characters), fc.boolean()), { maxLength: 3 }),
      (from, numbers, changes) => {
        let line = written(from, () => numbers.next().value);
        for (const [place, character, replaces] of changes) {
          const at = place % (line.length + 1);
          line = line.slice(0, at) + character + line.slice(replaces ? at + 1 : at);
        }
        const expected = line.trim() === '' || attempt(() => JSON.stringify(JSON.parse(line))) !== undefined;
        if (!expected) refused++;
        expect(attempt(() => keysIn(line, [['a']])) !== undefined, line).toBe(expected);
      },
    );
    fc.assert(property, { numRuns: 4000, seed: 36 });
    expect(refused).toBeGreaterThan(500);
  });

  it('keep what JSON.parse would change: long numbers, bytes that are not UTF-8, the way a value is written', () => {
    const ids = ['12345678901234567890', '12345678901234567891', '1', '1E5', '[1, "2"]', 'null'];
    const text = ids.map((id) => `{"id":${id}}\n`).join('');
    expect(keysIn(text, [['id']])).toEqual(ids);
    expect(keysIn(text, [['id'], ['id', 'x']])).toEqual(ids.map((id) => JSON.stringify([id, 'null'])));
    expect(keysIn('{"id":"12"}\n{"id":12}\r\n{"id":"\\u00e9"}', [['id']])).toEqual(['12', '12', 'é']);
    const keyOf = (line: string, ...members: string[]): string => {
      const format = formatWith({ 'json-field': members.map((name) => [name]), trim: true });
      return Buffer.from((keysOf(Buffer.from(line, 'latin1'), format) as KeyColumn).data).toString('latin1');
    };
    expect(keyOf('{"id":" \xff\xfe "}', 'id')).toBe('\xff\xfe');
    expect(keyOf('{"i\\u0064":"\xfc\\u0041\\/\\ud83d\\ude00\\n"}', 'id')).toBe('\xfcA/\xf0\x9f\x98\x80');
    expect(keyOf('{"id":{"\xfc":\t"\\n"}}', 'id', 'x')).toBe('["{\\"\xfc\\":\\t\\"\\\\n\\"}","null"]');
    expect(keyOf('{"id":"\xfc\\"","x":"\\u0001"}', 'id', 'x')).toBe('["\xfc\\"","\\u0001"]');
  });

  it('count where numbers are, and strings that begin like these', () => {
    const format = formatWith({ 'json-field': [['a'], ['b'], ['c']] });
    keysOf(Buffer.from('{"a":"1","b":"x","c":-1}\n{"a":2,"b":3,"c":"-2"}\n'), format);
    expect([format.tally.numbers, format.tally.digits]).toEqual([0b111, 0b101]);
  });

  it.each<[string, string]>([
    ['{"a":1} x', 'more follows at byte 9'],
    ['{"a" 1}', 'a colon is missing at byte 6'],
    ['{"a":1', 'a comma or } is missing at its end'],
    ['[1 2]', 'a comma or ] is missing at byte 4'],
    ['{a:1}', 'the name of a member is missing at byte 2'],
    ['{"a":}', 'a value is missing at byte 6'],
    ['hello', 'a value is missing at byte 1'],
    ['{"a":"x', 'a string is not closed at its end'],
    ['{"a":"x\\q"}', 'a backslash without its letter at byte 9'],
    ['{"a":"\\u12g4"}', '\\u without four digits at byte 8'],
    ['{"a":"\t"}', 'a control character in a string at byte 7'],
    ['{"a":-}', 'a digit is missing at byte 7'],
    ['['.repeat(1001), 'more than 1000 levels at byte 1001'],
  ])('%j is refused with its number, or left out', (line, reason) => {
    const text = Buffer.from(`{}\n[]\n${line}\n{"a":4}\n`);
    for (const skips of [false, true]) {
      const format = formatOfInput(formatWith({ 'json-field': [['a']], 'skip-invalid': skips }), 'a.json');
      const { text: valid, keys } = keyedIn(text, format);
      expect(Buffer.from(valid).toString()).toBe(skips ? '{}\n[]\n{"a":4}\n' : '{}\n[]\n');
      expect(Buffer.from((keys as KeyColumn).data).toString()).toBe(skips ? 'nullnull4' : 'nullnull');
      expect(format.tally).toMatchObject({
        invalid: 1,
        firstInvalid: { input: 'a.json', line: 3, reason: `is not JSON: ${reason}` },
      });
      if (skips) requireValid(format);
      else expect(() => requireValid(format)).toThrow(`'a.json', line 3 is not JSON: ${reason}`);
    }
  });

  it('is counted as a number or a string in the first 32 members only, for each of them', () => {
    const format = formatWith({ 'json-field': Array.from({ length: 33 }, (_, i) => [`m${i}`]) });
    keyedIn(Buffer.from('{"m0":"1","m31":2,"m32":3}\n'), format);
    expect([format.tally.digits, format.tally.numbers >>> 0]).toEqual([1, 2 ** 31]);
  });
});
