// The filters that build makes, and what the other commands do with each kind.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BlockedBloomFilter, BloomFilter, lines, load } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { TombstoneFilter } from 'bloomery/tombstone';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { program, run, runOn, told, workInFolder } from './run.ts';

workInFolder();
const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `key ${from + i}\n`).join('');
const [OLD, NEW] = [numbers(0, 20_000), numbers(20_000, 40_000)];
const [old, both] = [lines(Buffer.from(OLD)), lines(Buffer.from(OLD + NEW))];
const DONE = [0, '', ''];

beforeAll(() => {
  writeFileSync('old', OLD);
  writeFileSync('new', NEW);
});

const textOf = async (line: string, input?: string | Uint8Array): Promise<string> => (await told(line, input))[1];
const isSaved = (name: string, filter: { toBytes(): Uint8Array }): boolean =>
  readFileSync(name).equals(filter.toBytes());

describe('build', () => {
  it.each<[string, { toBytes(): Uint8Array }]>([
    ['-p 1e-9', BloomFilter.from(old, { errorRate: 1e-9 })],
    ['-n 2e4 -k blocked', new BlockedBloomFilter({ capacity: 20_000 }).addMany(old)],
    ['-k cuckoo -p 1e-6', CuckooFilter.from(old, { errorRate: 1e-6 })],
    ['-k fuse', BinaryFuseFilter.from(old)],
  ])('makes the same filter as the library: %s', async (options, expected) => {
    expect(await told(`build old -o made ${options}`)).toEqual(DONE);
    expect(isSaved('made', expected)).toBe(true);
    // The lines of stdin cannot be counted in advance.
    if (!/-n|fuse/.test(options)) return;
    const { stdout } = await runOn(OLD, 'build', '-o', '-', ...options.split(' '));
    expect(stdout.equals(expected.toBytes())).toBe(true);
  });

  it('counts the lines of several files, gzipped or not, with or without a final newline', async () => {
    writeFileSync('one', 'a\nb');
    writeFileSync('two.gz', gzipSync('c\n\nd'));
    writeFileSync('none', '');
    await told('build one none two.gz -o made -k counting');
    const built = load(readFileSync('made'));
    expect(built).toMatchObject({ kind: 'counting', capacity: 5 });
    expect(built.hasMany(['a', 'b', 'c', '', 'd', 'bc'])).toEqual(Uint8Array.of(1, 1, 1, 1, 1, 0));
    expect(await told('build none -o made')).toEqual(DONE);
    expect(load(readFileSync('made')).capacity).toBe(1);
  });

  it('warns of more keys than the filter was made for, unless it still keeps its error rate', async () => {
    expect(await told('build -n 1e4 -o made', OLD)).toEqual([
      0,
      '',
      expect.stringMatching(
        /^bloomery: warning: about (19|20),\d{3} keys are in a filter made for 10,000 keys: .*, not 0\.01\n$/,
      ),
    ]);
    expect(await told('build -n 1 -k blocked -o made', 'a\nb\nc\nd\n')).toEqual(DONE);
  });

  it.each([
    ['', 'a'],
    ['--no-crlf', 'a\r'],
  ])('counts a carriage return as part of the line end, unless --no-crlf is given: %s', async (option, key) => {
    await told(`build -n 10 -o made ${option}`, 'a\r\nb');
    const present = ['a', 'a\r', 'b'].filter((each) => load(readFileSync('made')).has(each));
    expect(present).toEqual([key, 'b']);
  });
});

describe('a filter of lines', () => {
  it.each([
    [
      '-k scalable -n 100',
      /^growth {10}2\ntightening {6}0\.7\nslices {10}8$/m,
      { growth: 2, tightening: 0.7, slices: 8 },
    ],
    ['-k rotating -n 1000', /^lanes {11}4\nwindow {10}none\nrotations {7}59$/m, { lanes: 4, rotations: 59 }],
    ['-k stable -n 1000', /^cells {11}\d\d,\d{3}\nhashes {10}4\ndecrements {6}30$/m, { hashes: 4, decrements: 30 }],
    ['-k stable -n 1000', /^keys {12}fewer than about \d,\d{3}$/m, { capacity: 1000, errorRate: 0.01 }],
    ['-k cuckoo -p 1e-6', /^slots +21,080\n[\s\S]*\nkeys +about 20,000\n/m, { capacity: 20_000, errorRate: 1e-6 }],
  ])('is described by info: %s, %s', async (options, shown, facts) => {
    await told(`build old -o made ${options}`);
    expect(await textOf('info made')).toMatch(shown);
    const [, kind] = options.split(' ');
    expect(JSON.parse(await textOf('info made --json'))).toMatchObject({ kind, ...facts });
  });

  it('that is a cuckoo filter says when it is full', async () => {
    await told('build old -o made -k cuckoo -p 1e-6');
    const before = readFileSync('made');
    expect(await told('add made new')).toEqual([
      2,
      '',
      'bloomery: line 481 does not fit: its buckets are full; the filter has 20480 keys in 21080 slots, made for 20000 ' +
        'keys; build one with a larger --capacity\n',
    ]);
    expect(readFileSync('made').equals(before)).toBe(true);
    const [code, , stderr] = await told('build -n 100 -k cuckoo -o never', 'a\n'.repeat(9));
    expect(code).toBe(2);
    expect(stderr).toMatch(/: its fingerprint is stored 8 times already, .*; leave out repeated lines, with /);
    writeFileSync('five', 'a\n'.repeat(5));
    const [, , again] = await told('build -n 100 -k cuckoo -o never five five');
    expect(again).toContain('bloomery: line 9 does not fit: ');
  });

  it('that has tombstones is looked up, and not changed', async () => {
    const filter = new TombstoneFilter(BinaryFuseFilter.from(['a', 'b', 'c', 'd'], { errorRate: 1e-6 }));
    writeFileSync('made', filter.removeMany(['b', 'd']).toBytes());
    expect(await textOf('pick made', 'a\nb\nd\n')).toBe('a\n');
    expect(await textOf('omit made', 'a\nb\nd\n')).toBe('b\nd\n');
    expect(await told('has made a b')).toEqual([1, 'a\n', '']);
    const facts = { kind: 'tombstone', base: 'fuse', capacity: 4, entries: 2, estimatedCount: 2 };
    expect(JSON.parse(await textOf('info made --json'))).toMatchObject(facts);
    expect(await textOf('info made')).toMatch(
      /^kind +tombstone, around a fuse filter\nmade for +4 keys[\s\S]*\nentries +2\n[\s\S]*\nkeys +about 2\n/,
    );
    expect((await told('add made old'))[2]).toContain(
      "'made' is a tombstone filter, which only programs change: build another of all lines",
    );
    expect(isSaved('made', filter)).toBe(true);
    writeFileSync('made', new TombstoneFilter(ScalableBloomFilter.from(['a'], { capacity: 1000 })).toBytes());
    expect(await told('has --quiet made a')).toEqual(DONE);
  });
});

describe('a fuse filter', () => {
  it('is made of all lines at once, for just as many keys', async () => {
    writeFileSync('one', 'a\nb\r\na');
    writeFileSync('two.gz', gzipSync('c\n\nd\n'));
    writeFileSync('none', '');
    await told('build one none two.gz -o made -k fuse -p 0.001 --seed 3');
    const expected = BinaryFuseFilter.from(['a', 'b', 'c', '', 'd'], { errorRate: 0.001, seed: 3 });
    expect(isSaved('made', expected)).toBe(true);
    const errorRate = 2 ** -10;
    expect(JSON.parse(await textOf('info made --json'))).toMatchObject({
      ...{ kind: 'fuse', capacity: 5, errorRate, cells: expected.cellCount, hashes: 3 },
      ...{ fillRatio: 1, estimatedCount: 5, estimatedErrorRate: errorRate },
    });
    expect(await textOf('pick made', 'd\nd\nx\n')).toBe('d\nd\n');
    expect(await textOf('omit made', 'd\nd\nx\n')).toBe('x\n');
  });

  it('is made of files that end with a carriage return, which is part of the last key', async () => {
    writeFileSync('return', 'c\na\r');
    writeFileSync('newline', '\ufeffb\n');
    await told('build return newline -k fuse -p 1e-6 -o made');
    const filter = BinaryFuseFilter.fromBytes(readFileSync('made'));
    expect(filter.hasMany(['a\r', 'b', 'a'])).toEqual(Uint8Array.of(1, 1, 0));
    expect(filter.capacity).toBe(3);
  });

  it('is made of fields, and of no lines', async () => {
    await told('build -k fuse -o made --null --field 2', '1\tb\x002\ta');
    expect(isSaved('made', BinaryFuseFilter.from(['a', 'b']))).toBe(true);
    expect(await told('build -k fuse -o made')).toEqual(DONE);
    expect(BinaryFuseFilter.fromBytes(readFileSync('made')).capacity).toBe(0);
  });

  it.each([
    ['--capacity does not go with --kind fuse', 'build TEXT -k fuse -n 10 -o FUSE'],
    ['a fuse filter needs an --error-rate of at least', 'build TEXT -k fuse -p 1e-12 -o FUSE'],
    ["'FUSE' is a fuse filter, which takes no more keys: build another of all", 'add FUSE TEXT'],
    ["'FUSE' is a fuse filter, and such filters cannot be merged", 'merge FUSE FUSE -o FUSE'],
    ["'FUSE' is a fuse filter, which takes no more keys", 'dedupe --seen FUSE TEXT'],
    ['--capacity does not go with --kind sharded-fuse', 'build TEXT -k sharded-fuse -n 10 -o FUSE'],
    ['a sharded-fuse filter needs an --error-rate of at least 2.33', 'build TEXT -k sharded-fuse -p 1e-12 -o FUSE'],
    ["cannot read 'MISSING': no such file", 'build MISSING -k sharded-fuse -o FUSE'],
  ])('is refused: %s, of %s', async (message, line) => {
    const saved = BinaryFuseFilter.from(['a']);
    writeFileSync('FUSE', saved.toBytes());
    writeFileSync('TEXT', 'b\n');
    const [code, stdout, stderr] = await told(line);
    expect([code, stdout, stderr.split('\n').length]).toEqual([2, '', 2]);
    expect(stderr).toContain(message);
    expect(isSaved('FUSE', saved)).toBe(true);
  });

  it('of several shards is built by way of a temporary file, which is gone then', async () => {
    mkdirSync('temporary');
    vi.stubEnv('TMPDIR', 'temporary');
    const build = 'build old new -k sharded-fuse -p 0.001 --seed 3 -o';
    const filter = ShardedFuseFilter.from(both, { errorRate: 0.001, seed: 3 });
    for (const name of ['made', 'made.gz']) expect(await told(`${build} ${name}`)).toEqual(DONE);
    const { stdout } = await run(...build.split(' '), '-');
    for (const file of [readFileSync('made'), gunzipSync(readFileSync('made.gz')), stdout]) {
      expect(file.equals(filter.toBytes())).toBe(true);
    }
    expect(readdirSync('temporary')).toEqual([]);
    rmSync('temporary', { recursive: true });
    const message = "bloomery: cannot write a temporary file in 'temporary': no such file or directory\n";
    expect(await told(`${build} never`)).toEqual([2, '', message]);
    vi.unstubAllEnvs();
    const facts = { kind: 'sharded-fuse', capacity: 40_000, shards: 1, estimatedCount: 40_000 };
    expect(JSON.parse(await textOf('info made --json'))).toMatchObject(facts);
    expect(await textOf('pick made.gz new')).toBe(NEW);
    expect(await textOf('omit made new --no-load')).toBe('');
  });

  it('of several shards leaves nothing behind if a signal ends it', async () => {
    mkdirSync('ended');
    const args = [program, 'build', '-k', 'sharded-fuse', '-o', 'ended/out'];
    const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: 'ended' } });
    // More than a pipe holds, so the command has begun.
    for (let i = 0; i < 10; i++) await new Promise((resolve) => child.stdin.write(OLD, resolve));
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([null, 'SIGTERM']);
    expect(readdirSync('ended')).toEqual([]);
  });
});
