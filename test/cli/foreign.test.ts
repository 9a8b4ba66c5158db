import { readFileSync, writeFileSync } from 'node:fs';
import { BloomFilter, lines } from 'bloomery';
import { GoBloomFilter } from 'bloomery/go';
import { GuavaBloomFilter } from 'bloomery/guava';
import { ParquetBloomFilter } from 'bloomery/parquet';
import { RedisBloomDump } from 'bloomery/redisbloom';
import { SparkBloomFilter } from 'bloomery/spark';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ForeignClass } from '../foreign/formats.ts';
import { run, runOn, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
const KEYS = Array.from({ length: 1000 }, (_, i) => `key ${i}`);
const TEXT = `${KEYS.join('\n')}\n`;

const formats = [
  { format: 'guava', Filter: GuavaBloomFilter },
  { format: 'go', Filter: GoBloomFilter },
  { format: 'spark', Filter: SparkBloomFilter },
  { format: 'parquet', Filter: ParquetBloomFilter },
] as object as readonly { readonly format: string; readonly Filter: ForeignClass }[];

beforeAll(() => {
  writeFileSync(path('keys.txt'), TEXT);
  writeFileSync(path('own.bloom'), BloomFilter.from(KEYS).toBytes());
});
afterAll(remove);

describe('a dump of RedisBloom', () => {
  it('is read only if that is said, even if it begins as another format does', async () => {
    const dump = new RedisBloomDump({ capacity: 10 }).addMany(['ada']).toBytes();
    expect(dump[0]).toBe(1);
    writeFileSync(path('one.dump'), dump);
    expect(await run('has', path('one.dump'), 'ada')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/one\.dump' is not a filter: bloomery build makes one from a text\n$/),
    });
    expect((await run('has', path('one.dump'), 'ada', '--format', 'redisbloom')).code).toBe(0);
  });
});

describe.each(formats)('the format of $format', ({ format, Filter }) => {
  const file = path(`keys.${format}`);
  const expected = Filter.from(lines(Buffer.from(TEXT)), { errorRate: 0.01 });

  beforeAll(async () => {
    const result = await run('build', path('keys.txt'), '-o', file, '--format', format);
    expect(result).toEqual({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
  });

  it('is what build writes, as the library does', () => {
    expect(readFileSync(file).equals(expected.toBytes())).toBe(true);
  });

  it.each([[[]], [['--format', format]]])('is recognized by info, has, pick and omit: %s', async (options) => {
    const { stdout } = await run('info', file, '--json', ...options);
    const { bits, kind, seed, fileBytes } = JSON.parse(stdout.toString()) as Record<string, unknown>;
    expect({ bits, kind, seed, fileBytes }).toEqual({
      bits: expected.cellCount,
      kind: format,
      seed: 0,
      fileBytes: expected.toBytes().length,
    });
    expect((await run('info', file, ...options)).stdout.toString()).toMatch(
      new RegExp(`^kind +${format}\nroom for +about`),
    );
    expect(await run('has', file, 'key 7', 'nobody', ...options)).toMatchObject({
      code: 1,
      stdout: Buffer.from('key 7\n'),
    });
    const asked = 'key 1\nnobody\nkey 2\n';
    expect((await runOn(asked, 'pick', file, ...options)).stdout.toString()).toBe('key 1\nkey 2\n');
    expect((await runOn(asked, 'omit', file, '--threads', '2', ...options)).stdout.toString()).toBe('nobody\n');
  });

  it('is kept by add and merge', async () => {
    const [one, other, both] = ['one', 'other', 'both'].map((name) => path(`${name}.${format}`)) as [
      string,
      string,
      string,
    ];
    for (const name of [one, other]) {
      await runOn('a\n', 'build', '-n', '100', '-o', name, '--format', format);
    }
    expect(await runOn('b\n', 'add', one)).toMatchObject({ code: 0, stderr: '' });
    expect(await run('merge', other, one, '-o', both)).toMatchObject({ code: 0, stderr: '' });
    const added = new Filter({ capacity: 100, errorRate: 0.01 }).addMany(['a', 'b']).toBytes();
    for (const name of [one, both]) expect(readFileSync(name).equals(added)).toBe(true);
  });

  it('is not that of other files', async () => {
    const { code, stderr } = await run('info', path('own.bloom'), '--format', format);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(new RegExp(`^bloomery: '.*own.bloom' is not a filter of ${format}: .*`)),
    });
    const damaged = readFileSync(file);
    writeFileSync(path('damaged'), damaged.subarray(0, -1));
    expect((await run('info', path('damaged'), '--format', format)).stderr).toMatch(/bytes of cells/);
    expect((await run('info', path('damaged'))).stderr).toMatch(
      /is not a filter: bloomery build makes one from a text/,
    );
  });

  it('has no options of other filters', async () => {
    for (const option of [
      ['--kind', 'blocked'],
      ['--threads', '2'],
      ['--secret-file', path('keys.txt')],
    ]) {
      const { code, stderr } = await run('build', path('keys.txt'), '-o', path('x'), '--format', format, ...option);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `bloomery: ${option[0]} does not go with --format ${format}\n`,
      });
    }
  });
});

it('a format that does not exist is refused', async () => {
  const { code, stderr } = await run('build', path('keys.txt'), '-o', path('x'), '--format', 'parket');
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^bloomery: --format must be one of guava, go/),
  });
});

describe('a filter whose file does not tell its capacity', () => {
  it.each(formats)('is not said to have too many keys: $format', async ({ format }) => {
    const name = path(`full.${format}`);
    const build = ['build', path('keys.txt'), '-o', name, '--format', format];
    expect((await run(...build, '-n', '50')).stderr).toContain('keys are in a filter made for 50 keys');
    expect(await run('pick', '-c', name, path('keys.txt'))).toMatchObject({ code: 0, stderr: '' });
    expect((await run('info', name)).stdout.toString()).toMatch(/^room for +about \d+ keys, error rate/m);
  });
});

describe('JSON of other packages', () => {
  it.each([
    [
      '{"type":"BloomFilter","_size":96,"_nbHashes":4,"_filter":{"size":96,"content":"AA=="},"_seed":1}',
      'fromBloomFilters',
    ],
    ['{ "version": 1, "k": 3, "buckets": [-7, 0] }', 'fromBloomfilter'],
    ['[0,-2147483648,7]', 'fromBloomfilter'],
  ])('has the function that reads it in the error: %s', async (text, reader) => {
    expect(await runOn(text, 'info', '-')).toMatchObject({
      code: 2,
      stderr: `bloomery: stdin looks like a filter of another package: programs read it with ${reader} of bloomery/migrate\n`,
    });
  });

  it.each(['{"type":"User"}', '[', 'key', '["a"]'])('is not any JSON: %s', async (text) => {
    expect((await runOn(text, 'info', '-')).stderr).toBe(
      'bloomery: stdin is not a filter: bloomery build makes one from a text\n',
    );
  });
});
