import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BloomFilter, CountingBloomFilter, load } from 'bloomery';
import { beforeEach, describe, expect, it } from 'vitest';
import { told, workInFolder } from './run.ts';

workInFolder();

const options = { capacity: 100, errorRate: 1e-9 };
const keysOf = (name: string): string[] => load(readFileSync(name)).pick(['a', 'b', 'c', 'd', '-']);

beforeEach(() => {
  writeFileSync('made', BloomFilter.from(['a', 'b', '-'], options).toBytes());
});

describe('add', () => {
  it('adds lines to a saved filter of any kind', async () => {
    writeFileSync('counting', CountingBloomFilter.from(['a', 'b', '-'], options).toBytes());
    for (const name of ['made', 'counting']) {
      expect(await told(`add ${name}`, 'c\nb\n')).toEqual([0, '', '']);
      expect(keysOf(name)).toEqual(['a', 'b', 'c', '-']);
    }
  });

  it('leaves the filter as it was if an input cannot be read', async () => {
    const before = readFileSync('made');
    writeFileSync('good', 'c\n');
    writeFileSync('bad.gz', 'c\n');
    for (const bad of ['missing', 'bad.gz']) expect((await told(`add made good ${bad}`))[0]).toBe(2);
    const message = 'bloomery: the filter must be a file, because it is read and written\n';
    expect(await told('add - good')).toEqual([2, '', message]);
    expect(readFileSync('made').equals(before)).toBe(true);
  });

  it('warns of more keys than the filter was made for', async () => {
    const text = [...Array(400).keys()].join('\n');
    const warning = /^bloomery: warning: .* in a filter made for 100 keys/;
    expect(await told('add made', text)).toEqual([0, '', expect.stringMatching(warning)]);
  });
});

describe('has', () => {
  it.each([
    ['has made a b', 0, 'a\nb\n'],
    ['has made a x b', 1, 'a\nb\n'],
    ['has --quiet made x', 1, ''],
    ['has -q made -- -', 0, ''],
    ['has made -', 0, 'b\r\nb\na\n', 'b\r\nb\na'],
    ['has made - a', 1, 'a\nb\n', 'x\nb\n'],
    ['has made x -', 1, 'b\n', 'b\n'],
    ['has -q made -', 1, '', 'a\nx\n'],
    ['has -q made -', 0, '', '-\n'],
    ['has made -', 0, 'b\n', gzipSync('b\n')],
  ] as [string, number, string, (string | Uint8Array)?][])(
    'prints the keys that may be present, those of stdin for -, and exits with 0 if all are: %s, %i, %j',
    async (line, code, expected, input) => {
      expect(await told(line, input)).toEqual([code, expected, '']);
    },
  );

  it.each(['has - -', 'has made - -'])('reads stdin only once: %s', async (line) => {
    expect(await told(line, 'a\n')).toEqual([2, '', 'bloomery: stdin can be read only once\n']);
  });
});

describe('a gzipped filter', () => {
  it('is read like any other', async () => {
    const zipped = gzipSync(readFileSync('made'));
    writeFileSync('zipped', zipped);
    expect((await told('has zipped a'))[0]).toBe(0);
    expect((await told('has - a', zipped))[0]).toBe(0);
    expect(await told('info zipped')).toEqual([0, expect.stringMatching(/\nfile +\d+ bytes, compressed\n$/), '']);
  });

  it('is written if its name ends in .gz, and stays gzipped', async () => {
    await told('build -n 9 -o new.gz', 'a\n');
    writeFileSync('renamed', readFileSync('new.gz'));
    for (const name of ['new.gz', 'renamed']) {
      await told(`add ${name}`, 'b\n');
      expect(load(gunzipSync(readFileSync(name))).pick(['a', 'b'])).toEqual(['a', 'b']);
    }
  });
});
