import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { gzipSync } from 'node:zlib';
import { BloomFilter } from 'bloomery';
import { beforeAll, describe, expect, it } from 'vitest';
import { program, start, told, workInFolder } from './run.ts';

workInFolder();
const MARK = '\ufeff';

beforeAll(() => {
  writeFileSync('filter', BloomFilter.from(['a', 'b', 'x\ny'], { errorRate: 1e-9 }).toBytes());
  writeFileSync('ab', 'a\nb\n');
});

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
    writeFileSync('marked', `${MARK}a\n`);
    writeFileSync('marked.gz', gzipSync(`${MARK}b\n`));
    expect(await picked(text, options)).toBe(expected);
    if (!options.startsWith('marked')) return;
    expect(await told(`build ${options} -o made`)).toEqual([0, '', '']);
    expect(BloomFilter.fromBytes(readFileSync('made')).pick(['a', 'b'])).toEqual(['a', 'b']);
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

describe('stdin that stays open', () => {
  it.each([
    ['pick --quiet, at the first line', 'pick -q filter', 'a\n', 0],
    ['a filter that is none', 'info -', 'hello\n', 2],
    ['a format that cannot be read', 'pick filter', 'BZh91AY&SY\x12', 2],
    ['memory that is full', 'dedupe --max-memory 10', 'a\nb\nc\nd\n', 2],
    ['memory that is full, in threads', 'dedupe --max-memory 10 --threads 2', 'a\nb\nc\nd\n', 2],
  ])('does not keep the program from ending: %s', async (_, line, text, code) => {
    const child = start(...line.split(' '));
    child.stdin?.write(text);
    child.stdout?.resume();
    expect(await once(child, 'close')).toEqual([code, null]);
    child.stdin?.destroy();
  });
});

describe('progress', () => {
  const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

  it.runIf(hasTerminal).each(['1', '2'])('is shown on a terminal, and gone at the end: %s threads', (threads) => {
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
  });
});

describe('pick and omit, with files and options', () => {
  it('go on after a file that cannot be read, and exit with 2, as grep does', async () => {
    const message = "bloomery: cannot read 'missing': no such file or directory\n";
    expect(await told('pick filter ab missing ab')).toEqual([2, 'a\nb\na\nb\n', message]);
    expect((await told('pick -q filter missing ab'))[0]).toBe(0);
  });

  it.each(['pick full ab', 'omit full ab', 'has full a', 'add full ab'])('warn once: %s', async (line) => {
    writeFileSync('full', BloomFilter.from(Array(2000).keys(), { capacity: 100 }).toBytes());
    const warning = /^bloomery: warning: [^\n]+ in a filter made for 100 keys: the error rate is [^\n]+\n$/;
    expect((await told(line))[2]).toMatch(warning);
  });
});
