import { readFileSync, writeFileSync } from 'node:fs';
import { BloomFilter, lines } from 'bloomery';
import { GoBloomFilter } from 'bloomery/go';
import { GuavaBloomFilter } from 'bloomery/guava';
import { ParquetBloomFilter } from 'bloomery/parquet';
import { RedisBloomDump } from 'bloomery/redisbloom';
import { SparkBloomFilter } from 'bloomery/spark';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ForeignClass } from '../foreign/formats.ts';
import { DONE, told, workInFolder } from './run.ts';

workInFolder();
const KEYS = Array.from({ length: 1000 }, (_, i) => `key ${i}`);
const TEXT = `${KEYS.join('\n')}\n`;

const formats = [
  { format: 'guava', Filter: GuavaBloomFilter },
  { format: 'go', Filter: GoBloomFilter },
  { format: 'spark', Filter: SparkBloomFilter },
  { format: 'parquet', Filter: ParquetBloomFilter },
] as object as readonly { readonly format: string; readonly Filter: ForeignClass }[];

beforeAll(() => {
  writeFileSync('keys', TEXT);
  writeFileSync('own', BloomFilter.from(KEYS).toBytes());
});

describe.each(formats)('the format of $format', ({ format, Filter }) => {
  const expected = Filter.from(lines(Buffer.from(TEXT)), { errorRate: 0.01 });

  beforeAll(async () => {
    expect(await told(`build keys -o ${format} --format ${format}`)).toEqual(DONE);
  });

  it('is what build writes, as the library does', () => {
    expect(readFileSync(format).equals(expected.toBytes())).toBe(true);
  });

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
