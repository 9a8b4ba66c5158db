// What an input is by its first bytes, in all commands that read texts: encodings, archives, line ends. And how texts are
// read: with marks, as fields, from stdin that stays open, and with progress.

import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import * as zlib from 'node:zlib';
import { BloomFilter } from 'bloomery';
import { FuseMap } from 'bloomery/fuse-map';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CommandError } from '../../cli/command-error.ts';
import type { TextValues } from '../../cli/text/format.ts';
import { openText } from '../../cli/text/open-text.ts';
import { collect } from '../../cli/text/sections.ts';
import { BEGINNINGS } from '../../src/streams/first-bytes.ts';
import { asynchronous, splitAt } from '../format/saved.ts';
import { formatWith } from './format.ts';
import { program, start, told, workInFolder, write } from './run.ts';

workInFolder();

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

/** What a command makes of a text, as stdin and as a file, compressed and not, in one thread and in two. */
async function alike(line: string, text: Uint8Array): Promise<[number | null, string, string]> {
  write({ plain: text, zipped: zlib.gzipSync(text) });
  const first = await told(`${line} -`, text);
  for (const file of ['--threads 1 plain', '--threads 2 plain', '--threads 2 zipped']) {
    const [code, stdout, stderr] = await told(`${line} ${file}`);
    const isAs = stderr.replace('what ', '').replace(/'zipped' contains|'(plain|zipped)'/, 'stdin');
    expect([code, stdout, isAs]).toEqual(first);
  }
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
    const [code, stdout, stderr] = await alike('dedupe', bytes);
    expect([code, stderr, stdout === each.substring(1)]).toEqual([0, '', true]);
    for (const end of [1, 2, 3, 9]) expect((await opened(bytes, [end])).toString() === each.substring(1)).toBe(true);
  });

  it.each([
    ['half a character', Buffer.concat([Buffer.from('\ufeffa\nb\n', 'utf16le'), Buffer.from('x')])],
    ['half a surrogate pair', Buffer.from('\ufeffa\n\ud83d\nb\n', 'utf16le')],
  ])('is refused if it is damaged, rather than made one key of several: %s', async (_, bytes) => {
    const message = 'bloomery: stdin begins as UTF-16 does, and is not valid UTF-16\n';
    expect(await alike('dedupe', bytes)).toEqual([2, expect.any(String), message]);
  });
});

describe('a file that is no text', () => {
  // As POSIX and as GNU write it.
  const tars = ['ustar\x0000', 'ustar  \0'].map((magic) => {
    const tar = Buffer.alloc(1024);
    tar.write('a.txt');
    tar.write(magic, 257, 'latin1');
    return tar;
  });
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

  it('is closed when it is refused, so that thousands of such files can be left out', async () => {
    let open = 0;
    async function* file(bytes: Uint8Array) {
      open++;
      try {
        yield bytes;
        yield bytes;
      } finally {
        open--;
      }
    }
    const format = formatWith({ 'json-field': [['a']] });
    for (const bytes of [...refused.map(([, each]) => each), latin('BLMY\x01'), latin('[1]')]) {
      for (const each of [bytes, zlib.gzipSync(bytes)])
        await expect(openText('a', file(each), format)).rejects.toThrow(CommandError);
    }
    await vi.waitFor(() => expect(open).toBe(0));
  });

  it('is not what only begins like one', async () => {
    const beginnings = ['B', 'BZ', 'BZh9', 'P', '7', '(', 'L', ']', ']\0', '\xff', '\0\0', '\x1f', '(\xb5', '\xef\xbb'];
    for (const text of [...beginnings, '\x04"M']) {
      for (const bytes of [latin(text), latin(`${text}a\n`)]) expect(await opened(bytes, [1])).toEqual(bytes);
    }
  });

  it.each(tars)('is refused wherever it is read, as a tar archive is: %#', async (bytes) => {
    const message = (input: string) => expect.stringContaining(`${input} is a tar archive`);
    expect(await alike('dedupe', bytes)).toEqual([2, '', message('stdin')]);
    writeFileSync('large', Buffer.concat([bytes, Buffer.alloc(5_000_000, 'line\n')]));
    for (const line of ['build -n 9 -o never --threads 1', 'build -n 9 -o never --threads 2', 'info']) {
      expect(await told(`${line} large`)).toEqual([2, '', message("'large'")]);
    }
    writeFileSync('twice', zlib.gzipSync(zlib.gzipSync('a\n')));
    expect((await told('dedupe twice'))[2]).toContain('contains is compressed with gzip');
  });
});

describe('a text with carriage returns and no newline', () => {
  const old = Buffer.from('name,age\ralice,30\rbob,40\r');
  const long = Buffer.alloc(3_000_000, 'line\r');

  const texts = { dedupe: long, 'dedupe --csv': old, 'build -n 9 -o never --json-field a': old };
  it.each(Object.entries(texts))('is refused: %s', async (line, text) => {
    expect(await alike(line, text)).toEqual([2, '', expect.stringContaining("with tr '\\r' '\\n', and read")]);
  });

  it('is refused after a mebibyte or at its end, and taken where a carriage return is part of a line', async () => {
    const late = Buffer.concat([long, Buffer.from('\n')]);
    const ended = Buffer.concat([old, Buffer.from('end')]);
    await expect(opened(late, [2 ** 20])).rejects.toThrow('has carriage returns and no newline');
    await expect(opened(ended, [old.length])).rejects.toThrow('has carriage returns and no newline');
    for (const values of [{ 'no-crlf': true }, { null: true }]) {
      expect((await opened(old, [5], values)).equals(old)).toBe(true);
    }
    const early = Buffer.concat([Buffer.alloc(2 ** 20 - 1, 'x\r'), Buffer.from('\n'), long]);
    expect((await opened(early, [300_000])).equals(early)).toBe(true);
    const single = Buffer.alloc(3_000_000, 'x');
    expect((await opened(single, [5])).equals(single)).toBe(true);
  });
});

it.each([
  ['--csv', '', 'has no record'],
  ['--csv --header', 'a,b\n', 'has no record below its header'],
  ['--json-field a', '', 'has no line'],
  ['--header', 'a\n', 'has no line below its header'],
])('a text without a record is warned of: %s', async (options, text, words) => {
  write({ empty: text, full: `${text}{}\n` });
  const warning = `bloomery: warning: 'empty' ${words}\n`;
  for (const command of ['dedupe', 'build -o some']) {
    const [code, , stderr] = await told(`${command} ${options} empty full empty`);
    expect([code, stderr.split(warning).length]).toEqual([0, 2]);
    expect(stderr).not.toContain("'full' has no");
  }
});

it('a JSON array is refused with what makes lines of it', async () => {
  const message = expect.stringContaining("in a line each with jq -c '.[]'");
  for (const text of ['[{"a":1},\n{"a":2}]\n', `\ufeff\n${' '.repeat(40)}[{"a":1},{"a":2}]`]) {
    expect(await alike('dedupe --json-field a', Buffer.from(text))).toEqual([2, '', message]);
  }
});

/** From Node 22.15 on. */
const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer };

const compressors = Object.entries({ gzip: zlib.gzipSync, ...(zstdCompressSync && { zstd: zstdCompressSync }) });

it.each(compressors)('%s is read to its end, wherever chunks and parts end, and refused if cut', async (_, zip) => {
  const long = Buffer.from(Array.from({ length: 200_000 }, (_, i) => `line ${i}\n`).join(''));
  const parts = [Buffer.from('hello '), Buffer.alloc(0), Buffer.from('world\n'), long].map((part) => zip(part));
  const file = new Uint8Array(Buffer.concat(parts));
  const { length } = parts[0] as Buffer;
  const text = Buffer.concat([Buffer.from('hello world\n'), long]);
  const bytes = Array.from({ length: 200 }, (_, i) => i);
  for (const ends of [[0], [1], [5], [length - 1], [length], [length + 1], [file.length >> 1], [file.length], bytes]) {
    expect((await opened(file, ends)).equals(text)).toBe(true);
  }
  for (const end of [5, length + 5, file.length - 1]) {
    await expect(opened(file.subarray(0, end), [])).rejects.toThrow("cannot unzip 'a': unexpected end of file");
  }
});

const MARK = '\ufeff';

beforeAll(() => write({ filter: BloomFilter.from(['a', 'b', 'x\ny'], { errorRate: 1e-9 }), ab: 'a\nb\n' }));

const picked = async (text: string | Uint8Array, options = ''): Promise<string> =>
  (await told(`pick filter ${options}`, text))[1];

describe('a text', () => {
  it.each([
    [`${MARK}a\nc\nb\n`, '', `${MARK}a\nb\n`],
    [`${MARK}c\nb\n`, '', 'b\n'],
    [`${MARK}a`, '', `${MARK}a`],
    [`a\n${MARK}b\n`, '', 'a\n'],
    [`${MARK}a\tc\n`, '--field 1', `${MARK}a\tc\n`],
    ['', 'marked marked.gz', `${MARK}a\nb\n`],
  ])('may begin with a byte order mark, which is no part of the first key: %j, %s', async (text, options, expected) => {
    write({ marked: `${MARK}a\n`, 'marked.gz': zlib.gzipSync(`${MARK}b\n`) });
    expect(await picked(text, options)).toBe(expected);
    if (!options.startsWith('marked')) return;
    expect(await told(`build ${options} -o made`)).toEqual([0, '', '']);
    expect(BloomFilter.fromBytes(readFileSync('made')).pick(['a', 'b'])).toEqual(['a', 'b']);
  });

  it('on stdin cannot be a directory', async () => {
    const folder = await open('.');
    const stdio = [folder.fd, 'pipe', 'pipe'] as const;
    const { status, stderr } = spawnSync(process.execPath, [program, 'omit', 'filter', '--allow-none'], {
      stdio: [...stdio],
    });
    await folder.close();
    expect([status, `${stderr}`]).toEqual([
      2,
      expect.stringMatching(/^bloomery: cannot read stdin: it is a directory\n/),
    ]);
  });

  it.skipIf(process.platform === 'win32')('is closed when it has been read', () => {
    const names = Array.from({ length: 200 }, (_, i) => `many${i}`);
    for (const name of names) writeFileSync(name, `${name}\n`);
    const args = ['-c', 'ulimit -n 100; "$@"', 'bash', process.execPath, program, 'dedupe', ...names];
    const { stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual([`${names.join('\n')}\n`, '']);
  });

  it('compressed with bzip2 is refused by name too', async () => {
    writeFileSync('text.bz2', 'a\n');
    const words = "is compressed with bzip2: unzip it with 'bzip2 -dc', and read that through a pipe\n";
    expect(await told('pick filter text.bz2')).toEqual([2, '', `bloomery: 'text.bz2' ${words}`]);
  });

  it('in Zstandard is read where Node can, and refused elsewhere', async () => {
    const [, stdout, stderr] = await told('pick filter', Buffer.from('28b52ffd0458210000610a620a2550b323', 'hex'));
    if ('createZstdDecompress' in zlib) expect(stdout).toBe('a\nb\n');
    else expect(stderr).toMatch("stdin is compressed with zstd: unzip it with 'zstd -dc'");
  });
});

describe('--field and --null', () => {
  const CSV = 'u1,a,z\nu2,c,a\r\nu3,b\r\nu4\n,a\n';

  it.each([
    [CSV, '--field 2 --delimiter ,', 'u1,a,z\nu3,b\r\n,a\n'],
    ['x\ta\ny\tc\n', '-f2', 'x\ta\n'],
    ['x::a::\ny:a\n', '-f2 -d ::', 'x::a::\n'],
    ['x-a-z\n', '-f2 -d-', 'x-a-z\n'],
    ['x,a\r\n', '-f2 -d, --no-crlf', ''],
    ['a\0c\0x\ny\0b', '-z', 'a\0x\ny\0b'],
    ['a\r\0b\0', '-z', 'b\0'],
  ])('look up one field of each line, and print whole lines: %j with %s', async (text, options, expected) => {
    expect(await picked(text, options)).toBe(expected);
  });

  it('give a line without the field the empty key, and report it', async () => {
    const warning = 'bloomery: warning: 2 lines without a field 2, whose key is empty\n';
    expect(await told('dedupe -f 2 -d ,', 'a,1\nb\nc\n')).toEqual([0, 'a,1\nb\n', warning]);
  });
});

describe.each([
  ['pick --quiet, at the first line', 'pick -q filter', 'a\n', 0],
  ['pick --quiet, at the first line of gzip', 'pick -q filter', zlib.gzipSync('a\n'), 0],
  ['a filter that is none', 'info', 'hello\n', 2],
  ['a format that cannot be read', 'pick filter', 'BZh91AY&SY\x12', 2],
  ['memory that is full', 'dedupe --max-memory 10', 'a\nb\nc\nd\n', 2],
  ['memory that is full, in threads', 'dedupe --max-memory 10 --threads 2', 'a\nb\nc\nd\n', 2],
])('an input that stays open does not keep the program from ending: %s', (_, line, text, code) => {
  it('stdin', async () => {
    const child = start(...line.split(' '), '-');
    child.stdin?.write(text);
    child.stdout?.resume();
    expect(await once(child, 'close')).toEqual([code, null]);
    child.stdin?.destroy();
  });

  it.skipIf(process.platform === 'win32')('a named pipe', async () => {
    rmSync('pipe', { force: true });
    execFileSync('mkfifo', ['pipe']);
    const child = start(...line.split(' '), 'pipe');
    child.stdout?.resume();
    // This waits until it is read.
    const pipe = await open('pipe', 'w');
    await pipe.writeFile(text);
    expect(await once(child, 'close')).toEqual([code, null]);
    await pipe.close();
  });
});

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

it.runIf(hasTerminal).each(['1', '2'])(
  'progress is shown on a terminal, and gone at the end: %s threads',
  (threads) => {
    writeFileSync('large', Array.from({ length: 2_000_000 }, (_, i) => `${i}\n`).join(''));
    // On a fast machine, all is read before the first progress would be due.
    writeFileSync('clock.mjs', 'let now = 0; Date.now = () => (now += 100);');
    const node = `${process.execPath} --import ./clock.mjs`;
    const command = `${node} ${program} build large -o large.bloom --threads ${threads}`;
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8' });
    const shown = stdout.split('\r\x1b[K');
    expect(shown.some((line) => /^█+░* \d+ % {2}.* of 14\.9 MB {2}[1-9][\d,]+ lines\/s/.test(line))).toBe(true);
    const last = /large.bloom: classic filter, 2\.40 MB, error rate 0\.0\d+, about (1,99|2,00)\d,\d+ keys\r?\n$/;
    expect(shown.at(-1)).toMatch(last);
  },
);

describe('pick and omit, with files and options', () => {
  it('go on after a file that cannot be read, and exit with 2, as grep does', async () => {
    const message = "bloomery: cannot read 'missing': no such file or directory\n";
    expect(await told('pick filter ab missing ab')).toEqual([2, 'a\nb\na\nb\n', message]);
    expect((await told('pick -q filter missing ab'))[0]).toBe(0);
  });

  it.each(['has filter -', 'get map', 'pick filter'])('exit as gzip does after a warning: %s', async (line) => {
    writeFileSync('map', FuseMap.fromEntries([['a', 1]]).toBytes());
    expect((await told(line, Buffer.concat([zlib.gzipSync('x\n'), latin('garbage\n')])))[0]).toBe(2);
  });

  it.each(['pick full ab', 'omit full ab', 'has full a', 'add full ab'])('warn once: %s', async (line) => {
    writeFileSync('full', BloomFilter.from(Array(2000).keys(), { capacity: 100 }).toBytes());
    const warning = /^bloomery: warning: [^\n]+ in a filter made for 100 keys: the error rate is [^\n]+\n$/;
    expect((await told(line))[2]).toMatch(warning);
  });
});
