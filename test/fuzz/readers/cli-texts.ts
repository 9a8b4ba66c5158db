// Texts and files that the command line reads: compressed or not, cut into lines and fields.

import { isUtf8 } from 'node:buffer';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import * as zlib from 'node:zlib';
import { BloomFilter } from 'bloomery';
import { loadFilter } from '../../../cli/filters/filter-file.ts';
import { cutCsv } from '../../../cli/text/csv.ts';
import type { TextFormat } from '../../../cli/text/format.ts';
import type { Chunks } from '../../../cli/text/input.ts';
import { countRecords, keyedIn, keysOf } from '../../../cli/text/records.ts';
import { collect, join, type Section, slicesOf } from '../../../cli/text/sections.ts';
import { selectBy, selectIn, selectInto } from '../../../cli/text/select.ts';
import { unzip } from '../../../cli/text/unzip.ts';
import { formatWith } from '../../cli/format.ts';
import { asynchronous, splitAt } from '../../format/saved.ts';
import { damageBytes } from '../damage/bytes.ts';
import { areSame, attempt, attemptLater, type Outcome, pick, type Random, type Reader, require } from '../subject.ts';
import { isCommandError } from './cli-arguments.ts';
import { check, damagedFile, savedFiles } from './files.ts';
import { randomText } from './keys.ts';

/** Those of Node 22.15 and later. */
const { zstdCompressSync, zstdDecompressSync } = zlib as {
  zstdCompressSync?: (bytes: Uint8Array) => Buffer;
  zstdDecompressSync?: (
    bytes: Uint8Array,
    options: { info: true },
  ) => { buffer: Buffer; engine: { bytesWritten: number } };
};

/** The first byte of a file of Zstandard. */
const ZSTD = 0x28;

/** Unzips each frame of a file. */
function unzstdSlowly(bytes: Uint8Array): Uint8Array {
  if (zstdDecompressSync === undefined) throw new Error('this version of Node has no Zstandard');
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { buffer, engine } = zstdDecompressSync(bytes.subarray(at), { info: true });
    parts.push(buffer);
    at += engine.bytesWritten;
  }
  return Buffer.concat(parts);
}

/**
 * Unzips each member of a file of gzip, as gzip does: what follows the last one is left out. A header with fields is left
 * to Node, which refuses what follows.
 */
function gunzipSlowly(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (; at === 0 || (bytes[at] === 0x1f && bytes[at + 1] === 0x8b); ) {
    let end = bytes.length;
    if (bytes[at + 3] === 0) {
      const { engine } = zlib.inflateRawSync(bytes.subarray(at + 10), { info: true }) as unknown as {
        engine: { bytesWritten: number };
      };
      end = at + 10 + engine.bytesWritten + 8;
    }
    parts.push(zlib.gunzipSync(bytes.subarray(at, end)));
    at = end;
  }
  return Buffer.concat(parts);
}

/** Runs what may warn, without what that prints and the exit code that it sets. */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  const { exitCode, stderr } = process;
  const { write } = stderr;
  stderr.write = () => true;
  try {
    return await run();
  } finally {
    stderr.write = write;
    process.exitCode = exitCode;
  }
}

const known = new BloomFilter({ bits: 500, hashes: 2 }).addMany(['', 'a', '1', 'b\r']);

/** Compresses bytes, as one or two members, and damages most of them. */
function zipped(plain: Uint8Array, random: Random): Uint8Array {
  const zip = pick(random, [zlib.gzipSync, zstdCompressSync ?? zlib.gzipSync]);
  const cut = random(3) === 0 ? random(plain.length + 1) : plain.length;
  const second = cut < plain.length ? zip(plain.subarray(cut)) : new Uint8Array(0);
  let bytes = new Uint8Array(Buffer.concat([zip(plain.subarray(0, cut)), second]));
  for (let times = random(3); times > 0; times--) bytes = new Uint8Array(damageBytes(bytes, random));
  return bytes;
}

/** What a file holds, by the functions of Node; undefined if it is damaged. */
function unzippedSlowly(name: string, bytes: Uint8Array): Uint8Array | undefined {
  const isZstd = bytes[0] === ZSTD && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd;
  const isGzip = name.endsWith('.gz') || (bytes[0] === 0x1f && bytes[1] === 0x8b);
  if (!isGzip && !isZstd) return bytes;
  const isAny = (): boolean => true;
  return attempt(() => (isGzip ? gunzipSlowly(bytes) : unzstdSlowly(bytes)), isAny);
}

const gzip: Reader = {
  name: 'compressed texts',
  share: 1000,
  async run(subject) {
    const { random } = subject;
    const plain = randomText(random, random(10) === 0 ? 20_000 : random(200));
    const file = zipped(plain, random);
    const name = pick(random, ['a.gz', 'a', 'a']);
    subject.input = file;
    const parts = splitAt(file, [random(file.length + 1), random(Math.min(8, file.length + 1))]);
    const read = async (): Promise<Uint8Array> => {
      const { chunks } = await unzip(name, asynchronous(parts));
      return collect(chunks, 100);
    };
    const text = await quietly(() => attemptLater(read, isCommandError));
    const wanted = unzippedSlowly(name, file);
    require(text !== undefined || wanted === undefined, 'an undamaged file is read');
    if (text === undefined) return 'refused';
    // Of a frame of Zstandard that arrives in chunks, the library does not notice all damage that it notices otherwise.
    if (wanted === undefined && file[0] === ZSTD) return 'read';
    require(wanted !== undefined, 'a damaged file is refused');
    require(areSame(text, wanted), 'a file is unzipped whole');
    return 'read';
  },
};

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

const folder = mkdtempSync(joinPath(tmpdir(), 'bloomery-fuzz-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const filterFiles: Reader = {
  name: 'filter files by their names',
  share: 500,
  async run(subject) {
    const { random } = subject;
    const plain = damagedFile(random, savedFiles);
    const isZipped = random(2) === 0;
    const file = isZipped ? zipped(plain, random) : plain;
    subject.input = file;
    const path = joinPath(folder, isZipped && random(2) === 0 ? 'a.gz' : 'a');
    writeFileSync(path, file);
    const loaded = await quietly(() => attemptLater(() => loadFilter(path), isCommandError));
    if (loaded === undefined) return 'refused';
    const content = unzippedSlowly(path, file);
    require(content !== undefined || file[0] === ZSTD, 'a damaged file is refused');
    check(loaded.filter, content ?? loaded.filter.toBytes());
    return 'read';
  },
};

/** Records that may be wrong, and are left out: what is left is right, and the same wherever the chunks end. */
const invalid: Reader = {
  name: 'records that are left out',
  share: 10_000,
  async run(subject): Promise<Outcome> {
    const { random } = subject;
    const isCsv = random(2) === 0;
    const parts = isCsv ? ['a', '"', '"', ',', '\n'] : ['{"a":', '1', '"x"', '}', '}\n', '{}', '\n'];
    const text = Buffer.from(Array.from({ length: random(30) }, () => pick(random, parts)).join(''));
    subject.input = text;
    const options = isCsv ? { csv: true } : { 'json-field': [['a']] };
    const skipping = formatWith({ ...options, 'skip-invalid': true });
    const cut = async (bytes: Uint8Array, format: TextFormat): Promise<Uint8Array> => {
      const chunks = asynchronous(splitAt(new Uint8Array(bytes), [random(bytes.length + 1), random(bytes.length + 1)]));
      return collect(isCsv ? cutCsv('a', chunks, format) : (chunks as Chunks), 9);
    };
    const left = await cut(text, skipping);
    const { text: valid, keys } = keyedIn(left, skipping);
    const strict = formatWith(options);
    require(areSame(keyedIn(await cut(valid, strict), strict).text, valid), 'what is left is right');
    require(strict.tally.invalid === 0, 'nothing that is left is invalid');
    require(countRecords(valid, strict) === known.hasMany(keys).length, 'each record has a key');
    require((skipping.tally.invalid === 0) === areSame(valid, text), 'what is left out is counted');
    return skipping.tally.invalid > 0 ? 'refused' : 'read';
  },
};

export const textReaders: readonly Reader[] = [gzip, fields, joined, invalid, filterFiles];
