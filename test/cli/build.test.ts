// The filters that build makes, and what the other commands do with each kind, and with the formats of other systems.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BlockedBloomFilter, BloomFilter, lines, load } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { GoBloomFilter } from 'bloomery/go';
import { GuavaBloomFilter } from 'bloomery/guava';
import { ParquetBloomFilter } from 'bloomery/parquet';
import { RedisBloomDump } from 'bloomery/redisbloom';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { SparkBloomFilter } from 'bloomery/spark';
import { SpatialBloomFilter } from 'bloomery/spatial';
import { TombstoneFilter } from 'bloomery/tombstone';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { ForeignClass } from '../foreign/formats.ts';
import { DONE, numbers, run, runOn, runReading, textOf, told, workInFolder, write } from './run.ts';

workInFolder();
const [OLD, NEW] = [numbers(0, 20_000), numbers(20_000, 40_000)];
const KEYS = Array.from({ length: 1000 }, (_, i) => `key ${i}`);
const TEXT = `${KEYS.join('\n')}\n`;
const [old, both] = [lines(Buffer.from(OLD)), lines(Buffer.from(OLD + NEW))];

beforeAll(() => write({ old: OLD, new: NEW, keys: TEXT, own: BloomFilter.from(KEYS) }));

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
    write({ one: 'a\nb', 'two.gz': gzipSync('c\n\nd'), none: '' });
    await told('build one none two.gz -o made -k counting');
    const built = load(readFileSync('made'));
    expect(built).toMatchObject({ kind: 'counting', capacity: 5 });
    expect(built.hasMany(['a', 'b', 'c', '', 'd', 'bc'])).toEqual(Uint8Array.of(1, 1, 1, 1, 1, 0));
    expect(await told('build none -o made')).toEqual(DONE);
    expect(load(readFileSync('made')).capacity).toBe(1);
    // Also where stdin is a file, which is at its end when it has been read once.
    expect((await runReading('one', 'build', '-o', 'never')).stderr).toMatch(/cannot count the lines of stdin/);
  });

  it('warns of more keys than the filter was made for, unless it still keeps its error rate', async () => {
    const warning =
      /^bloomery: warning: about (19|20),\d{3} keys are in a filter made for 10,000 keys: .*, not 0\.01\n$/;
    expect(await told('build -n 1e4 -o made', OLD)).toEqual([0, '', expect.stringMatching(warning)]);
    expect(await told('build -n 1 -k blocked -o made', 'a\nb\nc\nd\n')).toEqual(DONE);
  });
});

describe('a filter of lines', () => {
  it.each([
    ['-k scalable -n 100', /^growth {10}2\ntightening {6}0\.7\nsub-filters {5}8$/m, { tightening: 0.7, subFilters: 8 }],
    ['-k rotating -n 1000', /^generations {5}4\nwindow {10}none\nrotations {7}59$/m, { generations: 4, rotations: 59 }],
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
    const message = /^bloomery: line \d+ does not fit: its buckets are full; .* build one with a larger --capacity\n$/;
    expect(await told('add made new')).toEqual([2, '', expect.stringMatching(message)]);
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
    const facts = { kind: 'tombstone', base: 'fuse', capacity: 4, tombstones: 2, estimatedCount: 2 };
    expect(JSON.parse(await textOf('info made --json'))).toMatchObject(facts);
    const shown =
      /^kind +tombstone, around a fuse filter\nmade for +4 keys[\s\S]*\ntombstones +2\n[\s\S]*\nkeys +about 2\n/;
    expect(await textOf('info made')).toMatch(shown);
    const refusal = "'made' is a tombstone filter, which only programs change: build another of all lines";
    expect((await told('add made old'))[2]).toContain(refusal);
    expect(isSaved('made', filter)).toBe(true);
    writeFileSync('made', new TombstoneFilter(ScalableBloomFilter.from(['a'], { capacity: 1000 })).toBytes());
    expect(await told('has --quiet made a')).toEqual(DONE);
  });
});

describe('a fuse filter', () => {
  it('is made of all lines at once, for just as many keys', async () => {
    write({ return: '\ufeffa\nb\r\na\nc\r', 'two.gz': gzipSync('\ufeffc\n\nd\n'), none: '' });
    // A carriage return at the end of a file is part of the key.
    await told('build return none two.gz -o made -k fuse -p 0.001 --seed 3');
    const expected = BinaryFuseFilter.from(['a', 'b', 'c\r', 'c', '', 'd'], { errorRate: 0.001, seed: 3 });
    expect(isSaved('made', expected)).toBe(true);
    const errorRate = 2 ** -10;
    expect(JSON.parse(await textOf('info made --json'))).toMatchObject({
      ...{ kind: 'fuse', capacity: 6, errorRate, cells: expected.cellCount, hashes: 3 },
      ...{ fillRatio: 1, estimatedCount: 6, estimatedErrorRate: errorRate },
    });
    await told('build -k fuse -o made --null --field 2', '1\tb\x002\ta');
    expect(isSaved('made', BinaryFuseFilter.from(['a', 'b']))).toBe(true);
    expect(await told('build -k fuse -o made')).toEqual(DONE);
    expect(BinaryFuseFilter.fromBytes(readFileSync('made')).capacity).toBe(0);
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
});

describe('a filter of keys with labels', () => {
  const options = { capacity: 100, errorRate: 1e-6, labels: 3 };
  const near = new SpatialBloomFilter(options).addMany(['a', 'b'], 1);
  const far = new SpatialBloomFilter(options).addMany(['b', 'c'], 3);

  beforeAll(() => {
    write({ labels: new SpatialBloomFilter({ ...options, labels: 2 }) });
    write({ near, far: gzipSync(far.toBytes()), classic: BloomFilter.from(['a']) });
  });

  it('is looked up, and described by info', async () => {
    expect(await told('pick near', 'b\nx\na\n')).toEqual([0, 'b\na\n', '']);
    const [, json] = await told('info near --json');
    const { cells, hashes } = near;
    expect(JSON.parse(json)).toEqual({
      ...{ kind: 'spatial', capacity: 100, errorRate: 1e-6, cells, hashes, labels: 3, seed: 0, estimatedCount: 2 },
      ...{ fillRatio: near.fillRatio(), estimatedErrorRate: near.estimateErrorRate() },
      fileBytes: near.toBytes().length,
    });
    const shown = /^kind +spatial\nmade for +100 keys, error rate 0\.000001\n[\s\S]*\nlabels +3\n/;
    expect((await told('info far'))[1]).toMatch(shown);
  });

  it('is merged with others', async () => {
    expect(await told('merge near far -o both')).toEqual([0, '', '']);
    const both = SpatialBloomFilter.fromBytes(readFileSync('both'));
    expect([...both.labelsOf(['a', 'b', 'c', 'd'])]).toEqual([1, 3, 3, 0]);
  });

  it.each([
    ['merge near labels -o never', "'labels' does not fit 'near': its labels go up to 2, not 3\n"],
    ['merge labels near -o never', "'near' does not fit 'labels': its labels go up to 3, not 2\n"],
    ['merge near classic -o never', "'classic' does not fit 'near': it is a classic filter, not a spatial one\n"],
    ['merge - classic -o never', "'classic' does not fit stdin: it is a classic filter, not a spatial one\n"],
    ['add near', "'near' is a spatial filter, whose keys have labels: lines cannot be added to it"],
    ['build -k spatial -o never', '-k cannot be spatial: the keys of such a filter have labels'],
  ])('is refused where it differs, or a label is needed: %s', async (line, message) => {
    expect(await told(line, near.toBytes())).toEqual([2, '', expect.stringContaining(`bloomery: ${message}`)]);
    expect(readFileSync('near').equals(near.toBytes())).toBe(true);
  });
});

const formats = [
  { format: 'guava', Filter: GuavaBloomFilter },
  { format: 'go', Filter: GoBloomFilter },
  { format: 'spark', Filter: SparkBloomFilter },
  { format: 'parquet', Filter: ParquetBloomFilter },
] as object as readonly { readonly format: string; readonly Filter: ForeignClass }[];

describe.each(formats)('the format of $format', ({ format, Filter }) => {
  const expected = Filter.from(lines(Buffer.from(TEXT)), { errorRate: 0.01 });

  beforeAll(async () => {
    expect(await told(`build keys -o ${format} --format ${format}`)).toEqual(DONE);
  });

  it('is what build writes, as the library does', () =>
    expect(readFileSync(format).equals(expected.toBytes())).toBe(true));

  it.each(['', `--format ${format}`])('is recognized by info, has, pick and omit: %s', async (option) => {
    const [, json] = await told(`info ${format} --json ${option}`);
    const fileBytes = expected.toBytes().length;
    expect(JSON.parse(json)).toMatchObject({ bits: expected.cellCount, kind: format, seed: 0, fileBytes });
    const [, shown] = await told(`info ${format} ${option}`);
    expect(shown).toMatch(new RegExp(`^kind +${format}\nroom for +about`));
    const asked = 'key 1\nnobody\nkey 2\n';
    expect(await told(`has ${format} nobody ${option}`)).toEqual([1, '', '']);
    expect(await told(`pick ${format} ${option}`, asked)).toEqual([0, 'key 1\nkey 2\n', '']);
    expect(await told(`omit ${format} --threads 2 ${option}`, asked)).toEqual([0, 'nobody\n', '']);
  });

  it('is kept by add and merge', async () => {
    for (const name of ['one', 'other']) await told(`build -n 100 -o ${name} --format ${format}`, 'a\n');
    expect(await told('add one', 'b\n')).toEqual(DONE);
    expect(await told('merge other one -o both')).toEqual(DONE);
    const added = new Filter({ capacity: 100, errorRate: 0.01 }).addMany(['a', 'b']).toBytes();
    for (const name of ['one', 'both']) expect(readFileSync(name).equals(added)).toBe(true);
  });

  it('has no secret, keeps no lines of dedupe, and is not merged with other kinds', async () => {
    writeFileSync('secret', '0123456789abcdef');
    const before = readFileSync(format);
    for (const [line, message] of [
      ...['has FILE a', 'info FILE', 'add FILE', 'merge FILE FILE -o never'].map((line) => [
        `${line.replaceAll('FILE', format)} --secret-file secret`,
        `'${format}' is in the format of another system, which has no secret: omit --secret-file`,
      ]),
      [
        `dedupe --seen ${format} -p 0.5`,
        `'${format}' is a filter in the format ${format}: --seen takes sets and filters of`,
      ],
      [`merge ${format} own -o never`, `a classic filter, not a ${format} one; build it with --format ${format}\n`],
    ] as const) {
      expect(await told(line as string, 'a\n')).toEqual([2, '', expect.stringContaining(message as string)]);
    }
    expect(readFileSync(format).equals(before)).toBe(true);
  });

  it('is not that of other files', async () => {
    writeFileSync('damaged', readFileSync(format).subarray(0, -1));
    const other = expect.stringMatching(new RegExp(`^bloomery: 'own' is not a filter of ${format}: .*`));
    expect(await told(`info own --format ${format}`)).toEqual([2, '', other]);
    const cut = expect.stringContaining('bytes of cells');
    expect(await told(`info damaged --format ${format}`)).toEqual([2, '', cut]);
    const none = "bloomery: 'damaged' is not a filter: bloomery build makes one from a text\n";
    expect(await told('info damaged')).toEqual([2, '', none]);
  });

  it.each(['--kind blocked', '--threads 2', '--secret-file keys'])('does not go with %s', async (option) => {
    const message = `bloomery: ${option.split(' ')[0]} does not go with --format ${format}\n`;
    expect(await told(`build keys -o x --format ${format} ${option}`)).toEqual([2, '', message]);
  });

  it(`${format === 'spark' ? 'goes' : 'does not go'} with --seed`, async () => {
    const message = `bloomery: --seed does not go with --format ${format}\n`;
    const result = format === 'spark' ? DONE : [2, '', message];
    expect(await told(`build keys -o seeded --format ${format} --seed 7`)).toEqual(result);
    if (format === 'spark') expect((await told('info seeded'))[1]).toMatch(/^seed +7$/m);
  });

  it('does not tell the capacity, so no filter is said to have too many keys', async () => {
    const [, , warning] = await told(`build keys -o full --format ${format} -n 50`);
    expect(warning).toContain('keys are in a filter made for 50 keys');
    expect(await told('pick -c full keys')).toEqual([0, expect.any(String), '']);
    expect((await told('info full'))[1]).toMatch(/^room for +about \d+ keys, error rate/m);
  });
});

it('a dump of RedisBloom is read only if that is said, even if it begins as another format does', async () => {
  const dump = new RedisBloomDump({ capacity: 10 }).addMany(['ada']).toBytes();
  expect(dump[0]).toBe(1);
  writeFileSync('dump', dump);
  const message = "bloomery: 'dump' is not a filter: bloomery build makes one from a text\n";
  expect(await told('has dump ada')).toEqual([2, '', message]);
  expect((await told('has dump ada --format redisbloom'))[0]).toBe(0);
});

describe('JSON of other packages', () => {
  const other = '{"type":"BloomFilter","_size":96,"_nbHashes":4,"_filter":{"size":96,"content":"AA=="},"_seed":1}';
  it.each([
    [other, 'fromBloomFilters'],
    ['{ "version": 1, "k": 3, "buckets": [-7, 0] }', 'fromBloomfilter'],
    ['[0,-2147483648,7]', 'fromBloomfilter'],
  ])('has the function that reads it in the error: %s', async (text, reader) => {
    const words = `stdin looks like a filter of another package: programs read it with ${reader} of bloomery/migrate`;
    expect(await told('info -', text)).toEqual([2, '', `bloomery: ${words}\n`]);
  });

  it.each(['{"type":"User"}', '[', 'key', '["a"]'])('is not any JSON: %s', async (text) => {
    const message = 'bloomery: stdin is not a filter: bloomery build makes one from a text\n';
    expect(await told('info -', text)).toEqual([2, '', message]);
  });
});
