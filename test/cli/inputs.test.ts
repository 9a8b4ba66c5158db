// What an input is by its first bytes, in all commands that read texts: encodings, archives, line ends.

import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { TextValues } from '../../cli/text/format.ts';
import { openText } from '../../cli/text/open-text.ts';
import { collect } from '../../cli/text/pieces.ts';
import { BEGINNINGS } from '../../src/streams/first-bytes.ts';
import { asynchronous, splitAt } from '../format/saved.ts';
import { formatWith } from './format.ts';
import { type Result, run, runOn, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

/** What a command makes of a text, as stdin and as a file, compressed and not, in one thread and in two. */
async function alike(text: Uint8Array, ...args: string[]): Promise<Result> {
  writeFileSync(path('plain'), text);
  writeFileSync(path('zipped'), gzipSync(text));
  const results = [await runOn(text, ...args, '-')];
  for (const name of ['plain', 'zipped']) {
    for (const threads of ['1', '2']) {
      const { stderr, ...result } = await run(...args, '--threads', threads, path(name));
      const isAs = stderr.replace('what ', '').replace(`'${path(name)}' contains`, 'stdin');
      results.push({ ...result, stderr: isAs.replace(`'${path(name)}'`, 'stdin') });
    }
  }
  const [first] = results as [Result];
  for (const each of results) expect(each).toEqual(first);
  return first;
}

/** The text of a file that arrives in chunks which end at these places. */
async function opened(bytes: Uint8Array, ends: readonly number[], values: Partial<TextValues> = {}): Promise<Buffer> {
  const { chunks } = await openText('a', asynchronous(splitAt(new Uint8Array(bytes), ends)), formatWith(values));
  return Buffer.from(await collect(chunks, 9));
}

describe('UTF-16 with a byte order mark', () => {
  const text = '\ufeff\u00e4da\r\n\u{1f600}\r\nbob\r\n';
  // Longer than a range of a file that threads read.
  const long = Array.from({ length: 300_000 }, (_, i) => `line ${i}\n`).join('');

  it.each([
    ['le', text],
    ['be', text],
    ['le', `\ufeff${long}`],
  ])('is read as the UTF-8 that is meant: %s of %#', async (order, each) => {
    const bytes = Buffer.from(each, 'utf16le');
    if (order === 'be') bytes.swap16();
    const { code, stdout, stderr } = await alike(bytes, 'dedupe');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.toString() === each.substring(1)).toBe(true);
    for (const end of [1, 2, 3, 9]) expect((await opened(bytes, [end])).toString() === each.substring(1)).toBe(true);
  });

  it.each([
    ['half a character', Buffer.concat([Buffer.from('\ufeffa\nb\n', 'utf16le'), Buffer.from('x')])],
    ['half a surrogate pair', Buffer.from('\ufeffa\n\ud83d\nb\n', 'utf16le')],
  ])('is refused if it is damaged, rather than made one key of several: %s', async (_, bytes) => {
    const { code, stderr } = await alike(bytes, 'dedupe');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'bloomery: stdin begins as UTF-16 does, and is not valid UTF-16\n',
    });
  });
});

describe('a file that is no text', () => {
  const tar = Buffer.alloc(1024);
  tar.write('a.txt');
  tar.write('ustar\0', 257, 'latin1');
  const programs: Readonly<Record<string, string>> = {
    compress: "is compressed with compress: unzip it with 'gzip -dc'",
    lzma: "is compressed with lzma: unzip it with 'xz -dc'",
    zip: "is a zip archive: unpack it with 'unzip -p'",
    '7z': "is a 7z archive: unpack it with '7z x -so'",
    rar: "is a rar archive: unpack it with 'unrar p -inul'",
    'UTF-32': "is UTF-32: convert it with 'iconv -f UTF-32 -t UTF-8'",
  };
  const refused = BEGINNINGS.filter(([name]) => !['gzip', 'zstd', 'UTF-16'].includes(name)).flatMap(
    ([name, ...beginnings]) =>
      beginnings.map((each): [string, Buffer] => [
        programs[name] ?? `is compressed with ${name}: unzip it with '${name} -dc'`,
        latin(`${each}a\nb\n`),
      ]),
  );

  it('is refused by its first bytes, wherever chunks end', async () => {
    for (const [words, bytes] of refused) {
      for (const ends of [[], [1], [1, 2, 3]]) {
        await expect(opened(bytes, ends)).rejects.toThrow(`'a' ${words}, and read that through a pipe`);
      }
    }
  });

  it('is not what only begins like one', async () => {
    for (const text of ['B', 'BZ', 'BZh9', 'P', '7', '(', 'L', ']', ']\0', '\xff', '\0\0', '\x1f', '\x04"M']) {
      for (const bytes of [latin(text), latin(`${text}a\n`)]) expect(await opened(bytes, [1])).toEqual(bytes);
    }
  });

  it.each([
    ['zip', latin('PK\x03\x04\n')],
    ['tar', tar],
  ])('is refused wherever it is read: %s', async (name, bytes) => {
    expect((await alike(bytes, 'dedupe')).stderr).toContain(`stdin is a ${name} archive`);
    writeFileSync(path('large'), Buffer.concat([bytes, Buffer.alloc(5_000_000, 'line\n')]));
    for (const threads of ['1', '2']) {
      const built = await run('build', '-n', '9', '-o', path('never'), '--threads', threads, path('large'));
      expect(built).toMatchObject({ code: 2, stderr: expect.stringContaining(`'${path('large')}' is a ${name}`) });
    }
    writeFileSync(path('twice'), gzipSync(gzipSync('a\n')));
    expect((await run('info', path('large'))).stderr).toContain(`is a ${name} archive`);
    expect((await run('dedupe', path('twice'))).stderr).toContain('contains is compressed with gzip');
  });
});

describe('a text with carriage returns and no newline', () => {
  const old = Buffer.from('name,age\ralice,30\rbob,40\r');
  const long = Buffer.alloc(3_000_000, 'line\r');

  it.each([
    [['dedupe'], long],
    [['dedupe', '--csv'], old],
    [['build', '-n', '9', '-o', path('never'), '--json-field', 'a'], old],
  ])('is refused: %j', async (args, text) => {
    const { code, stdout, stderr } = await alike(text, ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("with tr '\\r' '\\n', and read") });
    expect(stdout.length).toBe(0);
  });

  it('is refused after a mebibyte, and taken where a carriage return is part of a line', async () => {
    const late = Buffer.concat([long, Buffer.from('\n')]);
    await expect(opened(late, [2 ** 20])).rejects.toThrow('has carriage returns and no newline');
    for (const values of [{ 'no-crlf': true }, { null: true }]) {
      expect((await opened(old, [5], values)).equals(old)).toBe(true);
    }
    const early = Buffer.concat([Buffer.alloc(2 ** 20 - 1, 'x\r'), Buffer.from('\n'), long]);
    expect((await opened(early, [300_000])).equals(early)).toBe(true);
    const single = Buffer.alloc(3_000_000, 'x');
    expect((await opened(single, [5])).equals(single)).toBe(true);
  });
});

describe('a text without a record', () => {
  it.each([
    [['--csv'], '', 'has no record'],
    [['--csv', '--header'], 'a,b\n', 'has no record below its header'],
    [['--json-field', 'a'], '', 'has no line'],
    [['--header'], 'a\n', 'has no line below its header'],
  ])('is warned of: %j', async (options, text, words) => {
    writeFileSync(path('empty'), text);
    writeFileSync(path('full'), `${text}{}\n`);
    const warning = `bloomery: warning: '${path('empty')}' ${words}\n`;
    for (const command of [['dedupe'], ['build', '-o', path('some.bloom')]]) {
      const { code, stderr } = await run(...command, ...options, path('empty'), path('full'), path('empty'));
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(warning) });
      expect(stderr.split(warning).length).toBe(2);
    }
  });

  it('is not, if its lines are taken as they are', async () => {
    expect(await runOn('', 'dedupe')).toEqual({ code: 1, stdout: Buffer.alloc(0), stderr: '' });
  });
});

it('a JSON array is refused with what makes lines of it', async () => {
  for (const text of ['[{"a":1},\n{"a":2}]\n', '\ufeff\n [{"a":1},{"a":2}]']) {
    const { code, stderr } = await alike(Buffer.from(text), 'dedupe', '--json-field', 'a');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("in a line each with jq -c '.[]'") });
  }
});
