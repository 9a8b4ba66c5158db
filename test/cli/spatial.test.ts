// Filters whose keys have labels: they can be read, but not made of lines.

import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { BloomFilter } from 'bloomery';
import { SpatialBloomFilter } from 'bloomery/spatial';
import { beforeAll, describe, expect, it } from 'vitest';
import { told, workInFolder } from './run.ts';

workInFolder();
const options = { capacity: 100, errorRate: 1e-6, labels: 3 };
const near = new SpatialBloomFilter(options).addMany(['a', 'b'], 1);
const far = new SpatialBloomFilter(options).addMany(['b', 'c'], 3);

beforeAll(() => {
  const others = { labels: { labels: 2 }, seed: { seed: 7 }, size: { capacity: 50 } };
  for (const [name, change] of Object.entries(others)) {
    writeFileSync(name, new SpatialBloomFilter({ ...options, ...change }).toBytes());
  }
  writeFileSync('near', near.toBytes());
  writeFileSync('far', gzipSync(far.toBytes()));
  writeFileSync('classic', BloomFilter.from(['a']).toBytes());
  writeFileSync('text', 'b\nx\na\n');
});

describe('a filter of keys with labels', () => {
  it.each([
    ['has near a c b', 1, 'a\nb\n'],
    ['pick near text', 0, 'b\na\n'],
    ['pick far text', 0, 'b\n'],
    ['omit near text', 0, 'x\n'],
    ['omit --count near text', 0, '1\n'],
  ])('is looked up: %s', async (line, code, expected) => {
    expect(await told(line)).toEqual([code, expected, '']);
  });

  it('is described by info', async () => {
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
    ['merge near seed -o never', "'seed' does not fit 'near': its seed is 7\n"],
    [
      'merge near size -o never',
      "'size' does not fit 'near': it was made for 50 keys at an error rate of 0.000001, not for 100 keys at an error rate " +
        'of 0.000001\n',
    ],
    ['merge near classic -o never', "'classic' does not fit 'near': it is a classic filter, not a spatial one\n"],
    ['merge - classic -o never', "'classic' does not fit stdin: it is a classic filter, not a spatial one\n"],
    ['add near text', "'near' is a spatial filter, whose keys have labels: lines cannot be added to it"],
    ['dedupe --seen near text', "'near' is a spatial filter, whose keys have labels"],
    ['build -k spatial text -o never', '-k cannot be spatial: the keys of such a filter have labels'],
  ])('is refused where it differs, or a label is needed: %s', async (line, message) => {
    expect(await told(line, near.toBytes())).toEqual([2, '', expect.stringContaining(`bloomery: ${message}`)]);
    expect(readFileSync('near').equals(near.toBytes())).toBe(true);
  });
});
