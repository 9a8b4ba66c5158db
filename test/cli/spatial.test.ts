// Filters whose keys have labels: they can be read, but not made of lines.

import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { BloomFilter } from 'bloomery';
import { SpatialBloomFilter } from 'bloomery/spatial';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, runOn, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
const options = { capacity: 100, errorRate: 1e-6, labels: 3 };
const near = new SpatialBloomFilter(options).addMany(['a', 'b'], 1);
const far = new SpatialBloomFilter(options).addMany(['b', 'c'], 3);

beforeAll(() => {
  writeFileSync(path('NEAR'), near.toBytes());
  writeFileSync(path('FAR'), gzipSync(far.toBytes()));
  writeFileSync(path('CLASSIC'), BloomFilter.from(['a']).toBytes());
  writeFileSync(path('TEXT'), 'b\nx\na\n');
});
afterAll(remove);

/** Replaces names in capital letters by the paths of these files. */
const withPaths = (args: readonly string[]): string[] => args.map((arg) => (/^[A-Z]+$/.test(arg) ? path(arg) : arg));

const without = (text: string): string => text.replaceAll(path(''), 'DIR/').replaceAll('//', '/');

describe('a filter of keys with labels', () => {
  it.each<[string, string, string[], number]>([
    ['has', 'a\nb\n', ['has', 'NEAR', 'a', 'c', 'b'], 1],
    ['pick', 'b\na\n', ['pick', 'NEAR', 'TEXT'], 0],
    ['pick', 'b\n', ['pick', 'FAR', 'TEXT'], 0],
    ['omit', 'x\n', ['omit', 'NEAR', 'TEXT'], 0],
    ['omit', '1\n', ['omit', '--count', 'NEAR', 'TEXT'], 0],
  ])('is looked up by %s: %j', async (_, expected, args, code) => {
    const result = await run(...withPaths(args));
    expect(result).toEqual({ code, stdout: Buffer.from(expected), stderr: '' });
  });

  it('is described by info', async () => {
    const { stdout } = await run('info', path('NEAR'), '--json');
    const { cells, hashes } = near;
    expect(JSON.parse(stdout.toString())).toEqual({
      ...{ kind: 'spatial', capacity: 100, errorRate: 1e-6, cells, hashes, labels: 3, seed: 0 },
      fillRatio: near.fillRatio(),
      estimatedCount: 2,
      estimatedErrorRate: near.estimateErrorRate(),
      fileBytes: near.toBytes().length,
    });
    const shown = (await run('info', path('FAR'))).stdout.toString();
    expect(shown).toMatch(/^kind +spatial\nmade for +100 keys, error rate 0\.000001\n/);
    expect(shown).toMatch(/\nlabels +3\n/);
  });

  it('is merged with others', async () => {
    const result = await run('merge', path('NEAR'), path('FAR'), '-o', path('both'));
    expect(result).toEqual({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
    const both = SpatialBloomFilter.fromBytes(readFileSync(path('both')));
    expect([...both.labelsOf(['a', 'b', 'c', 'd'])]).toEqual([1, 3, 3, 0]);
  });

  it.each<[string, object]>([
    ["'DIR/other' does not fit 'DIR/NEAR': its labels go up to 2, not 3\n", { labels: 2 }],
    ["'DIR/other' does not fit 'DIR/NEAR': its seed is 7\n", { seed: 7 }],
    [
      "'DIR/other' does not fit 'DIR/NEAR': it was made for 50 keys at an error rate of 0.000001, " +
        'not for 100 keys at an error rate of 0.000001\n',
      { capacity: 50 },
    ],
  ])('is not merged with one that differs: %s', async (message, change) => {
    writeFileSync(path('other'), new SpatialBloomFilter({ ...options, ...change }).toBytes());
    const { code, stderr } = await run('merge', path('NEAR'), path('other'), '-o', path('never'));
    expect([code, without(stderr)]).toEqual([2, `bloomery: ${message}`]);
  });

  it.each<[string, string[]]>([
    [
      "'DIR/CLASSIC' does not fit 'DIR/NEAR': it is a classic filter, not a spatial one",
      ['merge', 'NEAR', 'CLASSIC', '-o', 'NEVER'],
    ],
    ["'DIR/NEAR' is a spatial filter, whose keys have labels: lines cannot be added to it", ['add', 'NEAR', 'TEXT']],
    ["'DIR/NEAR' is a spatial filter, whose keys have labels", ['dedupe', '--seen', 'NEAR', 'TEXT']],
    ['-k cannot be spatial: the keys of such a filter have labels', ['build', '-k', 'spatial', 'TEXT', '-o', 'NEVER']],
  ])('is refused where a label is needed: %s', async (message, args) => {
    const before = readFileSync(path('NEAR'));
    const { code, stdout, stderr } = await run(...withPaths(args));
    expect([code, stdout.length]).toEqual([2, 0]);
    expect(without(stderr)).toContain(`bloomery: ${message}`);
    expect(readFileSync(path('NEAR')).equals(before)).toBe(true);
  });

  it('is refused from stdin, too', async () => {
    const { code, stderr } = await runOn(near.toBytes(), 'merge', '-', path('CLASSIC'), '-o', path('never'));
    expect([code, without(stderr)]).toEqual([
      2,
      "bloomery: 'DIR/CLASSIC' does not fit stdin: it is a classic filter, not a spatial one\n",
    ]);
  });
});
