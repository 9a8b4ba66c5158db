import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BlockedBloomFilter, BloomFilter, lines, load } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { BinaryFuseFilter, optimalFuseCells } from 'bloomery/fuse';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { StableBloomFilter } from 'bloomery/stable';
import { TombstoneFilter } from 'bloomery/tombstone';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program, run, runIn, runOn, start, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `key ${from + i}\n`).join('');
const OLD = numbers(0, 20_000);
const NEW = numbers(20_000, 40_000);
const filter = BloomFilter.from(lines(Buffer.from(OLD)), { errorRate: 1e-9 });

beforeAll(() => {
  writeFileSync(path('old.txt'), OLD);
  writeFileSync(path('new.txt'), NEW);
  writeFileSync(path('old.bloom'), filter.toBytes());
});
afterAll(remove);

const textOf = async (...args: string[]): Promise<string> => (await run(...args)).stdout.toString();

describe('build', () => {
  it('makes the same filter as the library, with the number of lines as capacity', async () => {
    const result = await run('build', path('old.txt'), '-o', path('a.bloom'), '--error-rate', '1e-9');
    expect(result).toEqual({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
    expect(readFileSync(path('a.bloom')).equals(filter.toBytes())).toBe(true);
  });

  it('counts the lines of several files, gzipped or not, with or without a final newline', async () => {
    writeFileSync(path('one'), 'a\nb');
    writeFileSync(path('two.gz'), gzipSync('c\n\nd'));
    writeFileSync(path('none'), '');
    await run('build', path('one'), path('none'), path('two.gz'), '-o', path('b.bloom'), '-k', 'counting');
    const built = load(readFileSync(path('b.bloom')));
    expect(built).toMatchObject({ kind: 'counting', capacity: 5 });
    expect(built.hasMany(['a', 'b', 'c', '', 'd'])).toEqual(new Uint8Array(5).fill(1));
    expect(built.has('bc')).toBe(false);
  });

  it('reads stdin and writes stdout', async () => {
    const { stdout } = await runOn(OLD, 'build', '--capacity', '2e4', '-k', 'blocked', '-o', '-');
    const expected = new BlockedBloomFilter({ capacity: 20_000 }).addMany(lines(Buffer.from(OLD)));
    expect(stdout.equals(expected.toBytes())).toBe(true);
  });

  it('makes a scalable filter, which add lets grow, and which info describes', async () => {
    await run('build', path('old.txt'), '-n', '100', '-k', 'scalable', '-o', path('s.bloom'));
    const { code, stderr } = await run('add', path('s.bloom'), path('new.txt'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const expected = ScalableBloomFilter.from(lines(Buffer.from(OLD + NEW)), { capacity: 100 });
    expect(readFileSync(path('s.bloom')).equals(expected.toBytes())).toBe(true);
    const { growth, tightening, slices, bits } = expected;
    expect(JSON.parse(await textOf('info', path('s.bloom'), '--json'))).toMatchObject({
      ...{ kind: 'scalable', capacity: 100, errorRate: 0.01 },
      ...{ growth, tightening, slices, bits },
    });
    expect(await textOf('info', path('s.bloom'))).toMatch(/^growth {10}2\ntightening {6}0\.7\nslices {10}9$/m);
  });

  it('makes a rotating filter, which keeps the last lines', async () => {
    await run('build', path('old.txt'), '-n', '1000', '-k', 'rotating', '-o', path('r.bloom'));
    const expected = RotatingBloomFilter.from(lines(Buffer.from(OLD)), { capacity: 1000 });
    expect(readFileSync(path('r.bloom')).equals(expected.toBytes())).toBe(true);
    expect(await textOf('info', path('r.bloom'))).toMatch(/^lanes {11}4\nwindow {10}none\nrotations {7}59$/m);
    const { stderr } = await run('pick', path('r.bloom'), path('old.txt'), '-o', path('picked'));
    expect(stderr).toBe('');
    expect(readFileSync(path('picked'), 'utf8').endsWith(numbers(19_000, 20_000))).toBe(true);
  });

  it('makes a stable filter, which takes any number of lines', async () => {
    await run('build', path('old.txt'), '-n', '1000', '-k', 'stable', '-o', path('f.bloom'));
    const expected = StableBloomFilter.from(lines(Buffer.from(OLD)), { capacity: 1000 });
    expect(readFileSync(path('f.bloom')).equals(expected.toBytes())).toBe(true);
    const info = await textOf('info', path('f.bloom'));
    expect(info).toMatch(/^cells {11}\d\d,\d{3}\nhashes {10}4\ndecrements {6}30$/m);
    expect(info).toMatch(/^keys {12}fewer than about \d,\d{3}$/m);
    expect(JSON.parse(await textOf('info', path('f.bloom'), '--json'))).toMatchObject({
      kind: 'stable',
      decrements: 30,
    });
    const { stderr } = await run('add', path('f.bloom'), path('new.txt'));
    expect(stderr).toBe('');
    const added = expected.addMany(lines(Buffer.from(NEW)));
    expect(readFileSync(path('f.bloom')).equals(added.toBytes())).toBe(true);
    expect(await textOf('omit', path('f.bloom'), path('new.txt'))).toBe(
      Buffer.from(added.omit(lines(Buffer.from(NEW))).bytes).toString(),
    );
  });

  it.each(['scalable', 'rotating', 'stable'])('merge refuses a %s filter, and says why', async (kind) => {
    await run('build', path('old.txt'), '-k', kind, '-o', path('m.bloom'));
    const result = await run('merge', path('m.bloom'), path('m.bloom'), '-o', path('none.bloom'));
    expect(result).toMatchObject({ code: 2 });
    expect(result.stderr).toMatch(
      new RegExp(`m\\.bloom' is a ${kind} filter, and such filters cannot be merged: build one`),
    );
    const other = await run('merge', path('old.bloom'), path('m.bloom'), '-o', path('none.bloom'));
    expect(other.stderr).toContain(`it is a ${kind} filter, not a classic one`);
  });

  it('makes a cuckoo filter, which says when it is full', async () => {
    const made = await run('build', path('old.txt'), '-o', path('cuckoo'), '-k', 'cuckoo', '-p', '1e-6');
    expect(made).toEqual({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
    const expected = CuckooFilter.from(lines(Buffer.from(OLD)), { errorRate: 1e-6 });
    expect(readFileSync(path('cuckoo')).equals(expected.toBytes())).toBe(true);
    expect(await textOf('info', path('cuckoo'))).toMatch(
      /^kind +cuckoo\n[\s\S]*\nslots +21,080\n[\s\S]*\nkeys +about 20,000\n/,
    );
    const full = await run('add', path('cuckoo'), path('new.txt'));
    expect(full.code).toBe(2);
    expect(full.stderr).toMatch(
      /^bloomery: line 481 does not fit: its buckets are full; the filter has 20480 keys in 21080 slots, made for 20000 keys; build one with a larger --capacity\n$/,
    );
    expect(readFileSync(path('cuckoo')).equals(expected.toBytes())).toBe(true);
    const repeated = await runOn('a\n'.repeat(9), 'build', '-n', '100', '-k', 'cuckoo', '-o', path('never'));
    expect(repeated.code).toBe(2);
    expect(repeated.stderr).toMatch(/: its fingerprint is stored 8 times already, .*; leave out repeated lines, with /);
    writeFileSync(path('five.txt'), 'a\n'.repeat(5));
    const twice = await run(
      'build',
      '-n',
      '100',
      '-k',
      'cuckoo',
      '-o',
      path('never'),
      path('five.txt'),
      path('five.txt'),
    );
    expect(twice.stderr).toContain('bloomery: line 9 does not fit: ');
  });

  it('looks up lines in a tombstone filter, which it does not change', async () => {
    const filter = new TombstoneFilter(BinaryFuseFilter.from(['a', 'b', 'c', 'd'], { errorRate: 1e-6 }));
    const saved = filter.removeMany(['b', 'd']).toBytes();
    writeFileSync(path('t.bloom'), saved);
    expect((await runOn('a\nb\nd\n', 'pick', path('t.bloom'))).stdout.toString()).toBe('a\n');
    expect((await runOn('a\nb\nd\n', 'omit', path('t.bloom'))).stdout.toString()).toBe('b\nd\n');
    expect(await run('has', path('t.bloom'), 'a', 'b')).toMatchObject({
      code: 1,
      stdout: Buffer.from('a\n'),
      stderr: '',
    });
    expect(JSON.parse(await textOf('info', path('t.bloom'), '--json'))).toMatchObject({
      kind: 'tombstone',
      base: 'fuse',
      capacity: 4,
      entries: 2,
      estimatedCount: 2,
    });
    expect(await textOf('info', path('t.bloom'))).toMatch(
      /^kind +tombstone, around a fuse filter\nmade for +4 keys[\s\S]*\nentries +2\n[\s\S]*\nkeys +about 2\n/,
    );
    const { stderr } = await run('add', path('t.bloom'), path('old.txt'));
    expect(stderr).toContain("t.bloom' is a tombstone filter, which only programs change: build another of all lines");
    expect(readFileSync(path('t.bloom')).equals(saved)).toBe(true);
    const endless = ScalableBloomFilter.from(lines(Buffer.from(OLD)), { capacity: 1000 });
    writeFileSync(path('t.bloom'), new TombstoneFilter(endless).toBytes());
    expect(await run('has', '--quiet', path('t.bloom'), OLD.slice(0, OLD.indexOf('\n')))).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('makes a fuse filter of all lines at once, for just as many keys', async () => {
    writeFileSync(path('one'), 'a\nb\r\na');
    writeFileSync(path('two.gz'), gzipSync('c\n\nd\n'));
    writeFileSync(path('none'), '');
    const inputs = [path('one'), path('none'), path('two.gz')];
    await run('build', ...inputs, '-o', path('f.bloom'), '-k', 'fuse', '-p', '0.001', '--seed', '3');
    const expected = BinaryFuseFilter.from(['a', 'b', 'c', '', 'd'], { errorRate: 0.001, seed: 3 });
    expect(readFileSync(path('f.bloom')).equals(expected.toBytes())).toBe(true);
    expect(JSON.parse(await textOf('info', path('f.bloom'), '--json'))).toMatchObject({
      kind: 'fuse',
      capacity: 5,
      errorRate: 2 ** -10,
      cells: expected.cellCount,
      hashes: 3,
      fillRatio: 1,
      estimatedCount: 5,
      estimatedErrorRate: 2 ** -10,
    });
    expect((await runOn('d\nd\nx\n', 'pick', path('f.bloom'))).stdout.toString()).toBe('d\nd\n');
    expect((await runOn('d\nd\nx\n', 'omit', path('f.bloom'))).stdout.toString()).toBe('x\n');
  });

  it('builds a sharded fuse filter by way of a temporary file, which is gone then', async () => {
    const temporary = path('temporary');
    mkdirSync(temporary);
    const build = (...args: string[]) =>
      runIn(
        { env: { ...process.env, TMPDIR: temporary } },
        ...['build', path('old.txt'), path('new.txt'), '-k', 'sharded-fuse', '-p', '0.001', '--seed', '3', ...args],
      );
    const filter = ShardedFuseFilter.from(lines(Buffer.from(OLD + NEW)), { errorRate: 0.001, seed: 3 });
    const [plain, zipped, piped] = await Promise.all([
      build('-o', path('s.bloom')),
      build('-o', path('s.bloom.gz')),
      build('-o', '-'),
    ]);
    expect([plain.code, zipped.code, piped.code, plain.stderr]).toEqual([0, 0, 0, '']);
    for (const file of [readFileSync(path('s.bloom')), gunzipSync(readFileSync(path('s.bloom.gz'))), piped.stdout]) {
      expect(file.equals(filter.toBytes())).toBe(true);
    }
    expect(readdirSync(temporary)).toEqual([]);
    rmSync(temporary, { recursive: true });
    const { code, stderr } = await build('-o', path('never'));
    expect([code, stderr]).toEqual([
      2,
      `bloomery: cannot write a temporary file in '${temporary}': no such file or directory\n`,
    ]);
    expect(JSON.parse(await textOf('info', path('s.bloom'), '--json'))).toMatchObject({
      kind: 'sharded-fuse',
      capacity: 40_000,
      shards: 1,
      estimatedCount: 40_000,
    });
    expect(await textOf('pick', path('s.bloom.gz'), path('new.txt'))).toBe(NEW);
    expect(await textOf('omit', path('s.bloom'), path('new.txt'), '--no-load')).toBe('');
  });

  it('leaves nothing of a sharded fuse filter if a signal ends it', async () => {
    const temporary = path('ended');
    mkdirSync(temporary);
    const args = [program, 'build', '-k', 'sharded-fuse', '-o', join(temporary, 'out')];
    const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: temporary } });
    // More than a pipe holds, so the command has begun.
    for (let i = 0; i < 10; i++) await new Promise((resolve) => child.stdin.write(OLD, resolve));
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([null, 'SIGTERM']);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it.each([
    ['--capacity does not go with --kind sharded-fuse', ['build', 'OLD', '-k', 'sharded-fuse', '-n', '10', '-o', 'X']],
    [
      'a sharded-fuse filter needs an --error-rate of at least 2.33e-10',
      ['build', 'OLD', '-k', 'sharded-fuse', '-p', '1e-12', '-o', 'X'],
    ],
    ["cannot read 'MISSING': no such file", ['build', 'MISSING', '-k', 'sharded-fuse', '-o', 'X']],
  ])('of a sharded fuse filter is refused: %s', async (message, args) => {
    const places: Readonly<Record<string, string>> = {
      OLD: path('old.txt'),
      X: path('unmade'),
      MISSING: path('missing'),
    };
    const { code, stderr } = await run(...args.map((arg) => places[arg] ?? arg));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message.replace('MISSING', path('missing')))]);
  });

  it('makes a fuse filter of files that end with a carriage return, which is part of the last key', async () => {
    writeFileSync(path('return.txt'), 'c\na\r');
    writeFileSync(path('newline.txt'), '\ufeffb\n');
    await run(
      'build',
      path('return.txt'),
      path('newline.txt'),
      '-k',
      'fuse',
      '-p',
      '1e-6',
      '-o',
      path('returns.bloom'),
    );
    const filter = BinaryFuseFilter.fromBytes(readFileSync(path('returns.bloom')));
    expect(filter.hasMany(['a\r', 'b', 'a'])).toEqual(Uint8Array.of(1, 1, 0));
    expect(filter.capacity).toBe(3);
  });

  it('makes a fuse filter of stdin, of fields, and of no lines', async () => {
    const { stdout } = await runOn('1\tb\x002\ta', 'build', '-k', 'fuse', '-o', '-', '--null', '--field', '2');
    expect(stdout.equals(BinaryFuseFilter.from(['a', 'b']).toBytes())).toBe(true);
    const { stdout: empty, code } = await runOn('', 'build', '-k', 'fuse', '-o', '-');
    expect([code, BinaryFuseFilter.fromBytes(empty).capacity]).toEqual([0, 0]);
    const { stdout: many } = await runOn(OLD, 'build', '-k', 'fuse', '-o', '-');
    expect(many.equals(BinaryFuseFilter.from(lines(Buffer.from(OLD))).toBytes())).toBe(true);
  });

  it.each<[string, string[]]>([
    ['--capacity does not go with --kind fuse', ['build', 'TEXT', '-k', 'fuse', '-n', '10', '-o', 'FUSE']],
    ['a fuse filter needs an --error-rate of at least', ['build', 'TEXT', '-k', 'fuse', '-p', '1e-12', '-o', 'FUSE']],
    ["FUSE' is a fuse filter, which takes no more keys: build another of all", ['add', 'FUSE', 'TEXT']],
    ["FUSE' is a fuse filter, and such filters cannot be merged", ['merge', 'FUSE', 'FUSE', '-o', 'FUSE']],
    ["FUSE' is a fuse filter, which takes no more keys", ['dedupe', '--seen', 'FUSE', 'TEXT']],
  ])('of a fuse filter is refused: %s, of %j', async (message, args) => {
    const saved = BinaryFuseFilter.from(['a']).toBytes();
    writeFileSync(path('FUSE'), saved);
    writeFileSync(path('TEXT'), 'b\n');
    const { code, stdout, stderr } = await run(...args.map((arg) => (/^[A-Z]+$/.test(arg) ? path(arg) : arg)));
    expect([code, stdout.length]).toEqual([2, 0]);
    expect(stderr.split('\n')).toHaveLength(2);
    expect(stderr).toContain(message);
    expect(readFileSync(path('FUSE')).equals(saved)).toBe(true);
  });

  it('makes a filter from an empty file', async () => {
    writeFileSync(path('empty'), '');
    expect((await run('build', path('empty'), '-o', path('empty.bloom'))).code).toBe(0);
    expect(load(readFileSync(path('empty.bloom'))).capacity).toBe(1);
  });

  it('warns of more keys than the filter was made for', async () => {
    const { code, stderr } = await runOn(OLD, 'build', '-n', '1e4', '-o', path('c.bloom'));
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^bloomery: warning: about (19|20),\d{3} keys are in a filter made for 10,000 keys: .*, not 0\.01\n$/,
    );
  });

  it('does not warn if such a filter still keeps its error rate', async () => {
    const { stderr } = await runOn('a\nb\nc\nd\n', 'build', '-n', '1', '-k', 'blocked', '-o', path('d.bloom'));
    expect(stderr).toBe('');
  });

  it('counts a carriage return as part of the line end, unless --no-crlf is given', async () => {
    for (const [flags, key] of [
      [[], 'a'],
      [['--no-crlf'], 'a\r'],
    ] as const) {
      const { stdout } = await runOn('a\r\nb', 'build', '-n', '10', '-o', '-', ...flags);
      expect(load(stdout).hasMany(['a', 'a\r', 'b'])).toEqual(Uint8Array.of(+(key === 'a'), +(key === 'a\r'), 1));
    }
  });
});

describe('pick and omit', () => {
  it('print the lines that are in a filter, or those that are not', async () => {
    expect(await textOf('pick', path('old.bloom'), path('new.txt'), path('old.txt'))).toBe(OLD);
    expect(await textOf('omit', path('old.bloom'), path('new.txt'), path('old.txt'))).toBe(NEW);
  });

  it('read stdin, alone or between files', async () => {
    expect((await runOn(OLD, 'pick', path('old.bloom'))).stdout.toString()).toBe(OLD);
    writeFileSync(path('x'), 'x');
    writeFileSync(path('z'), 'z');
    expect((await runOn('y', 'omit', path('old.bloom'), path('x'), '-', path('z'))).stdout.toString()).toBe('x\ny\nz');
  });

  it('take a filter from stdin', async () => {
    expect((await runOn(filter.toBytes(), 'pick', '-', path('old.txt'))).stdout.toString()).toBe(OLD);
    const both = await runOn(filter.toBytes(), 'pick', '-', '-');
    expect(both).toMatchObject({ code: 2, stderr: 'bloomery: stdin can be read only once\n' });
  });

  it('recognize gzip by name or first bytes, with one member or several', async () => {
    const zipped = Buffer.concat([gzipSync(OLD), gzipSync(NEW)]);
    writeFileSync(path('both.gz'), zipped);
    writeFileSync(path('both'), zipped);
    for (const name of ['both.gz', 'both']) expect(await textOf('pick', path('old.bloom'), path(name))).toBe(OLD);
    expect((await runOn(zipped, 'omit', path('old.bloom'))).stdout.toString()).toBe(NEW);
  });

  it('exit with the same codes as grep', async () => {
    expect((await run('pick', path('old.bloom'), path('old.txt'))).code).toBe(0);
    expect((await run('pick', path('old.bloom'), path('new.txt'))).code).toBe(1);
    expect((await run('omit', path('old.bloom'), path('old.txt'))).code).toBe(1);
    expect((await run('pick', path('old.bloom'), path('missing'))).code).toBe(2);
  });

  it('exit with 0 under --allow-none if there is nothing to print, but not on an error', async () => {
    const nothing = { code: 0, stdout: Buffer.alloc(0), stderr: '' };
    expect(await run('pick', '--allow-none', path('old.bloom'), path('new.txt'))).toEqual(nothing);
    expect(await run('omit', path('old.bloom'), path('old.txt'), '--allow-none', '--threads', '2')).toEqual(nothing);
    expect(await run('dedupe', '--allow-none')).toEqual(nothing);
    expect((await run('dedupe')).code).toBe(1);
    expect((await run('pick', '--allow-none', path('old.bloom'), path('missing'))).code).toBe(2);
    expect(await run('pick', '--allow-none', '--quiet', path('old.bloom'), path('new.txt'))).toMatchObject({
      code: 2,
      stderr: 'bloomery: --allow-none does not go with --quiet, which only sets the exit code\n',
    });
  });

  it('end quietly when the reader stops', async () => {
    const child = start('dedupe');
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdin?.on('error', () => {});
    child.stdin?.write(numbers(0, 200_000));
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.stdout?.destroy();
    child.stdin?.end(numbers(200_000, 400_000));
    expect(await once(child, 'close')).toEqual([141, null]);
    expect(stderr).toBe('');
  });
});

describe('info, size and merge', () => {
  it('info: tells the parameters of the filter', async () => {
    expect(JSON.parse(await textOf('info', path('old.bloom'), '--json'))).toEqual({
      kind: 'classic',
      capacity: 20_000,
      errorRate: 1e-9,
      bits: filter.bits,
      hashes: filter.hashes,
      seed: 0,
      fillRatio: filter.fillRatio(),
      estimatedCount: Math.round(filter.estimateCount()),
      estimatedErrorRate: filter.estimateErrorRate(),
      fileBytes: filter.toBytes().length,
    });
    expect(await textOf('info', path('old.bloom'))).toMatch(/^kind +classic\nmade for +20,000 keys, error rate 1e-9\n/);
  });

  it('size: tells the size of each kind', async () => {
    const { kinds, ...wanted } = JSON.parse(await textOf('size', '-n', '1e6', '--error-rate', '.01', '--json'));
    expect(wanted).toEqual({ capacity: 1_000_000, errorRate: 0.01 });
    expect(kinds[0]).toEqual({ kind: 'classic', bitsPerKey: 9.585059, hashes: 7, bytes: 1_198_133, filters: 1 });
    const names = [
      'classic',
      'blocked',
      'counting',
      'wide',
      'cuckoo',
      'dleft',
      'scalable',
      'rotating',
      'stable',
      'fuse',
      'sharded-fuse',
    ];
    expect(kinds.map(({ kind }: { kind: string }) => kind)).toEqual(names);
    expect(await textOf('size', '-n', '1000000')).toMatch(
      /^kind +bits per key +hashes +size\nclassic +9\.6 +7 +1\.20 MB\n/,
    );
  });

  it('size: says among how many filters keys must be divided that one cannot hold', async () => {
    const { kinds } = JSON.parse(await textOf('size', '-n', '1e12', '--json'));
    expect(kinds[0]).toMatchObject({ kind: 'classic', hashes: 7, filters: 512 });
    expect(kinds[0].bytes).toBeCloseTo(1.198e12, -10);
    expect(await textOf('size', '-n', '1e12')).toMatch(/\nclassic +9\.6 +7 +1\.20 TB +512\n/);
  });

  it('size: exits with 2 if no kind can be made', async () => {
    expect((await run('size', '-n', '1', '-p', '1e-100')).code).toBe(2);
  });

  it('size: tells the size of a fuse filter, which is not made', async () => {
    const { kinds } = JSON.parse(await textOf('size', '-n', '1e6', '-p', '0.001', '--json'));
    const bytes = (optimalFuseCells(1e6) * 10) / 8;
    expect(kinds.at(-2)).toEqual({ kind: 'fuse', bitsPerKey: bytes / 125_000, hashes: 3, bytes, filters: 1 });
    const { kinds: many } = JSON.parse(await textOf('size', '-n', '1e9', '--json'));
    expect(many.at(-2)).toMatchObject({ kind: 'fuse', filters: 4 });
    expect(many.at(-1)).toMatchObject({ kind: 'sharded-fuse', filters: 1 });
    const { kinds: rare } = JSON.parse(await textOf('size', '-n', '1e6', '-p', '1e-10', '--json'));
    expect(rare.at(-2)).toEqual({
      kind: 'fuse',
      refused: expect.stringContaining('of at least 2.33e-10'),
    });
  });

  it('size: says why a kind is refused', async () => {
    const { kinds } = JSON.parse(await textOf('size', '-n', '1e6', '-p', '1e-7', '--json'));
    expect(kinds[1]).toEqual({ kind: 'blocked', refused: expect.stringContaining('at least 0.00001') });
  });

  it('merge: merges filters of the same kind', async () => {
    const build = (name: string, ...args: string[]) => run('build', path(name), '-o', path(`${name}.m`), ...args);
    await Promise.all([build('old.txt', '-n', '1e5'), build('new.txt', '-n', '1e5')]);
    expect((await run('merge', path('old.txt.m'), path('new.txt.m'), '-o', path('old.txt.m'))).code).toBe(0);
    expect(await textOf('pick', path('old.txt.m'), path('old.txt'), path('new.txt'))).toBe(OLD + NEW);
  });

  it('merges cuckoo filters, unless there is no room for the keys of both', async () => {
    const args = ['-k', 'cuckoo', '-p', '1e-6'];
    await run('build', path('old.txt'), '-o', path('old.cuckoo'), ...args, '-n', '50k');
    await run('build', path('new.txt'), '-o', path('new.cuckoo'), ...args, '-n', '50k');
    await run('merge', path('old.cuckoo'), path('new.cuckoo'), '-o', path('both.cuckoo'));
    expect(await textOf('pick', path('both.cuckoo'), path('old.txt'), path('new.txt'))).toBe(OLD + NEW);
    await run('build', path('old.txt'), '-o', path('full.cuckoo'), ...args);
    const { code, stderr } = await run('merge', path('full.cuckoo'), path('full.cuckoo'), '-o', path('never'));
    expect([code, stderr]).toEqual([
      2,
      `bloomery: '${path('full.cuckoo')}' does not fit into '${path('full.cuckoo')}': ` +
        'no room for 20000 keys beside 20000 in 21080 slots, made for 20000 keys; ' +
        'build both with a larger --capacity\n',
    ]);
    await run('build', path('old.txt'), '-o', path('other.cuckoo'), '-k', 'cuckoo');
    expect((await run('merge', path('full.cuckoo'), path('other.cuckoo'), '-o', path('never'))).stderr).toContain(
      'it was made for 20,000 keys at an error rate of 0.01, not for 20,000 keys at an error rate of 0.000001',
    );
    expect((await run('merge', path('full.cuckoo'), path('old.bloom'), '-o', path('never'))).stderr).toContain(
      'it is a classic filter, not a cuckoo one; build it with --kind cuckoo',
    );
  });

  it.each<[string, string[], string[]]>([
    [
      'it is a blocked filter, not a classic one; build it with --kind classic',
      ['-n', '1e5'],
      ['-n', '1e5', '-kblocked'],
    ],
    [
      'it was made for 10,000 keys at an error rate of 0.01, not for 100,000 keys at an error rate of 0.01; ' +
        "build 'DIR/other' with --capacity 100000 --error-rate 0.01",
      ['-n', '1e5'],
      ['-n', '1e4'],
    ],
    ["build 'DIR/one' with --capacity 100000 --error-rate 0.01", ['-n', '1e4'], ['-n', '1e5']],
    ['build both with --capacity 100000 --error-rate 0.01', ['-n', '1e5', '-p', '0.1'], ['-n', '1e4']],
    ['its seed is 7; build it with --seed 0', ['-n', '1e5'], ['-n', '1e5', '--seed', '7']],
  ])('merge: says which filter does not fit: %s', async (reason, one, other) => {
    await run('build', path('old.txt'), '-o', path('one'), ...one);
    await run('build', path('old.txt'), '-o', path('other'), ...other);
    const { code, stderr } = await run('merge', path('one'), path('other'), '-o', path('never'));
    expect(code).toBe(2);
    expect(stderr).toMatch(`bloomery: '${path('other')}' does not fit '${path('one')}': `);
    expect(stderr.replaceAll(path(''), 'DIR/').replaceAll('//', '/')).toContain(reason);
  });
});
