// Keys of CSV, beside the parser csv-parse.

import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvReader, cutCsv } from '../../cli/text/csv.ts';
import { slicesOf } from '../../cli/text/cut.ts';
import type { TextFormat, TextValues } from '../../cli/text/format.ts';
import { countRecords } from '../../cli/text/records.ts';
import { collect } from '../../cli/text/sections.ts';
import { moveFlagged } from '../../cli/text/select.ts';
import { asynchronous, splitAt } from '../format/saved.ts';
import { formatWith, keyTexts } from './format.ts';

const formatOfCsv = (values: Partial<TextValues>): TextFormat => formatWith({ csv: true, ...values });

/** The records of a text, or undefined if it is no CSV. */
function parsed(text: string, delimiter = ','): string[][] | undefined {
  try {
    return parse(text, { delimiter, relax_column_count: true, record_delimiter: ['\r\n', '\n'] });
  } catch {
    return undefined;
  }
}

/** The records that a reader finds in a text that comes in two chunks, or undefined if it refuses it. */
function cutAt(text: string, at: number, format: TextFormat): string[] | undefined {
  const reader = new CsvReader(format);
  const bytes = Buffer.from(text);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const [one, other] = [reader.read(before), reader.failure ? { first: 0, last: 0 } : reader.read(after)];
  if (!reader.failure) reader.end();
  if (reader.failure) return undefined;
  const ends = [one.first, one.last, ...[other.first, other.last].map((end) => end && at + end)].filter(
    (end) => end > 0,
  );
  return [0, ...new Set(ends)].map((from, i, all) => bytes.subarray(from, all[i + 1]).toString());
}

const messy = fc.array(fc.constantFrom('a', 'b', '"', '"', ',', ';', '\n', '\r\n', '\r'), { maxLength: 24 });
const field = fc.array(fc.constantFrom('a', '"', ',', ';', '\n', '\r', 'ä'), { maxLength: 4 });

describe('CSV', () => {
  it('is accepted, cut and read as csv-parse does it, wherever a chunk ends', () => {
    let accepted = 0;
    fc.assert(
      fc.property(messy, fc.nat(24), fc.constantFrom(',', ';'), (parts, split, delimiter) => {
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
      }),
      { numRuns: 3000, seed: 36 },
    );
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
    fc.assert(
      fc.property(record, record, ([a, b, isQuoted], [c, d, isOther]) => {
        const keys = keyTexts(`${written([a, b], isQuoted)}\r\n${written([c, d], isOther)}\n`, format);
        expect(keys[0] === keys[1]).toBe(a.join('') === c.join('') && b.join('') === d.join(''));
        // The key is such a record itself, so it can be looked up as one.
        expect(parsed(keys[0] as string)?.[0] ?? ['', '']).toEqual([a.join(''), b.join('')]);
        expect(keyTexts(`${written([a, b], isQuoted)}\n`, formatOfCsv({ field: [2, 1] }))[0]).toBe(
          keyTexts(`${written([b, a], isQuoted)}\n`, format)[0],
        );
      }),
      { numRuns: 2000, seed: 36 },
    );
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
    const megabyte = 'x'.repeat(2 ** 20);
    expect(await read('"', ...Array.from({ length: 64 }, () => megabyte), '"\n1\n')).toBe(
      "'a.csv', line 1 is not CSV: longer than 67.1 MB; is a quote not closed?",
    );
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
    await fc.assert(
      fc.asyncProperty(messy, fc.array(fc.nat(24), { maxLength: 3 }), async (parts, ends) => {
        const text = `${parts.join('').replaceAll('\r', '')}\n`;
        const format = formatOfCsv({ 'skip-invalid': true });
        const chunks = asynchronous(splitAt(new Uint8Array(Buffer.from(text)), ends));
        const found = Buffer.from(await collect(cutCsv('a', chunks, format), 9)).toString();
        const lines = text.split(/(?<=\n)/);
        expect(found).toBe(right(lines).join(''));
        expect(format.tally.invalid).toBe(lines.length - found.split(/(?<=\n)/).filter(Boolean).length);
      }),
      { numRuns: 2000, seed: 36 },
    );
  });
});
