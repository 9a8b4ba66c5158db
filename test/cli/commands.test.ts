// The commands that look up lines, describe filters, merge them and add to them; and filters that they look up without
// loading them.

import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter, lines, load } from 'bloomery';
import { FingerprintSet } from 'bloomery/fingerprint-set';
import { BinaryFuseFilter, optimalFuseCells } from 'bloomery/fuse';
import { FuseMap } from 'bloomery/fuse-map';
import { keyed } from 'bloomery/keyed';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { TombstoneFilter } from 'bloomery/tombstone';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DONE, numbers, start, textOf, told, workInFolder, write } from './run.ts';

workInFolder();
const [OLD, NEW] = [numbers(0, 20_000), numbers(20_000, 40_000)];
const filter = BloomFilter.from(lines(Buffer.from(OLD)), { errorRate: 1e-9 });

beforeAll(() => write({ old: OLD, new: NEW, filter }));

const jsonOf = async (line: string) => {
  const [code, stdout] = await told(`${line} --json`);
  expect(code).toBe(0);
  return JSON.parse(stdout);
};

describe('pick and omit', () => {
  it('print the lines that are in a filter, or those that are not, and exit as grep does', async () => {
    expect(await told('pick filter new old')).toEqual([0, OLD, '']);
    expect(await told('omit filter new old')).toEqual([0, NEW, '']);
    expect(await told('pick filter new')).toEqual([1, '', '']);
    expect(await told('omit filter old')).toEqual([1, '', '']);
    expect((await told('pick filter missing'))[0]).toBe(2);
  });

  it('read stdin, alone or between files, and take a filter from there', async () => {
    expect(await textOf('pick filter', OLD)).toBe(OLD);
    write({ x: 'x', z: 'z' });
    expect(await textOf('omit filter x - z', 'y')).toBe('x\ny\nz');
    write({ x: 'x\r' });
    expect(await textOf('omit filter --no-crlf x z')).toBe('x\r\nz');
    expect(await textOf('pick - old', filter.toBytes())).toBe(OLD);
    expect(await told('pick - -', filter.toBytes())).toEqual([2, '', 'bloomery: stdin can be read only once\n']);
  });

  it('exit with 0 under --allow-none if there is nothing to print, but not on an error', async () => {
    for (const line of ['pick --allow-none filter new', 'omit filter old --allow-none --threads 2']) {
      expect(await told(line)).toEqual(DONE);
    }
    expect(await told('dedupe --allow-none')).toEqual(DONE);
    expect(await told('dedupe')).toEqual([1, '', '']);
    expect((await told('pick --allow-none filter missing'))[0]).toBe(2);
    const message = 'bloomery: --allow-none does not go with --quiet, which only sets the exit code\n';
    expect(await told('pick --allow-none --quiet filter new')).toEqual([2, '', message]);
    const printsNothing = 'bloomery: --output does not go with --quiet, which prints nothing\n';
    expect(await told('omit --quiet -o never filter new')).toEqual([2, '', printsNothing]);
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

it('info tells the parameters of the filter', async () => {
  const { bits, hashes } = filter;
  expect(await jsonOf('info filter')).toEqual({
    ...{ kind: 'classic', capacity: 20_000, errorRate: 1e-9, bits, hashes, seed: 0 },
    fillRatio: filter.fillRatio(),
    estimatedCount: Math.round(filter.estimateCount()),
    estimatedErrorRate: filter.estimateErrorRate(),
    fileBytes: filter.toBytes().length,
  });
  expect(await textOf('info filter')).toMatch(/^kind +classic\nmade for +20,000 keys, error rate 1e-9\n/);
  // It is read in several chunks.
  write({ big: new BloomFilter({ bits: 2 ** 23, hashes: 1 }) });
  expect(await jsonOf('info big')).toMatchObject({ fileBytes: statSync('big').size });
});

describe('size', () => {
  const kindsOf = async (options: string): Promise<{ kind: string }[]> => (await jsonOf(`size ${options}`)).kinds;

  it('tells the size of each kind', async () => {
    const { kinds, ...wanted } = await jsonOf('size -n 1e6 --error-rate .01');
    expect(wanted).toEqual({ capacity: 1_000_000, errorRate: 0.01, maxValue: 255 });
    expect(kinds[0]).toEqual({ kind: 'classic', bitsPerKey: 9.585059, hashes: 7, bytes: 1_198_133, filters: 1 });
    const all = 'classic blocked counting wide cuckoo dleft scalable rotating stable fingerprint-set fuse sharded-fuse';
    expect(kinds.map(({ kind }: { kind: string }) => kind).join(' ')).toBe(`${all} fuse-map`);
    expect(await textOf('size -n 1000000')).toMatch(/^kind +bits per key +hashes +size\nclassic +9\.6 +7 +1\.20 MB\n/);
  });

  it('says among how many filters keys must be divided that one cannot hold, and makes no fuse filter for that', async () => {
    const [classic] = await kindsOf('-n 1e12');
    expect(classic).toMatchObject({ kind: 'classic', hashes: 7, filters: 512, bytes: expect.closeTo(1.198e12, -10) });
    expect(await textOf('size -n 1e12')).toMatch(/\nclassic +9\.6 +7 +1\.20 TB +512\n/);
    const bytes = (optimalFuseCells(1e6) * 10) / 8;
    const fuse = { kind: 'fuse', bitsPerKey: bytes / 125_000, hashes: 3, bytes, filters: 1 };
    expect((await kindsOf('-n 1e6 -p 0.001')).at(-3)).toEqual(fuse);
    expect((await kindsOf('-n 1e9')).slice(-3)).toMatchObject([
      { filters: 4 },
      { kind: 'sharded-fuse', filters: 1 },
      { kind: 'fuse-map', filters: 1 },
    ]);
  });

  it('tells the size of a map with values up to a largest one', async () => {
    const row = async (options: string) => (await kindsOf(`-n 1e6 ${options}`)).at(-1);
    for (const largest of [255, 0, 70_000]) {
      const options = largest === 255 ? '' : `--max-value ${largest}`;
      const { cellCount, cellBits, byteLength: bytes } = FuseMap.sizeFor(1e6, { largest });
      const expected = { kind: 'fuse-map', bitsPerKey: (cellCount * cellBits) / 1e6, hashes: 3, bytes, filters: 1 };
      expect(await row(options)).toEqual(expected);
    }
    const refused = 'a fuse-map needs an --error-rate of at least 0.25 with values up to 1000000000';
    expect(await row('--max-value 1e9 -p 0.1')).toEqual({ kind: 'fuse-map', refused });
    const note = /\nfuse-map +17\.1 .*\nThe values of a fuse-map are up to 255 here: --max-value sets another\.\n$/;
    expect(await textOf('size -n 1e6')).toMatch(note);
    expect(await textOf('size -n 1e6 --max-value 2000')).toMatch(/\nfuse-map +20\.5 [^\n]*\n$/);
    const every = await kindsOf('-n 1e6 --max-value 4294967295 -p 1');
    expect(every[0]).toEqual({ kind: 'classic', refused: 'a classic filter needs an --error-rate of less than 1' });
    const { byteLength: bytes } = FuseMap.sizeFor(1e6, { largest: 2 ** 32 - 1, fingerprintBits: 0 });
    expect(every.at(-1)).toMatchObject({ kind: 'fuse-map', bytes });
    const large = expect.stringContaining('--max-value must');
    expect(await told('size -n 1 --max-value 4294967296')).toEqual([2, '', large]);
  });

  it('says why a kind is refused, and exits with 2 if all are', async () => {
    const refused = (least: string) => expect.stringContaining(`at least ${least}`);
    expect((await kindsOf('-n 1e6 -p 1e-7'))[1]).toEqual({ kind: 'blocked', refused: refused('0.00001') });
    expect((await told('size -n 9e15 -p 1e-100'))[0]).toBe(2);
  });
});

it.each([
  ['-k cuckoo', '-k cuckoo', "'two' does not fit into 'one': no room for 20000 keys beside 20000 in 21080 slots, "],
  ['-k cuckoo', '-k cuckoo', 'slots, made for 20000 keys; build both with a larger --capacity'],
  ['-k cuckoo -p 1e-6', '-k cuckoo', 'at an error rate of 0.01, not for 20,000 keys at an error rate of 0.000001'],
  ['-n 1e5', '-n 1e5 -kblocked', 'it is a blocked filter, not a classic one; build it with --kind classic'],
  [
    '-n 1e5',
    '-n 1e4',
    "for 100,000 keys at an error rate of 0.01; build 'two' with --capacity 100000 --error-rate 0.01",
  ],
  ['-n 1e4', '-n 1e5', "build 'one' with --capacity 100000 --error-rate 0.01"],
  ['-n 1e5 -p 0.1', '-n 1e4', 'build both with --capacity 100000 --error-rate 0.01'],
  ['-n 1e5', '-n 1e5 --seed 7', 'its seed is 7; build it with --seed 0'],
  ['-k scalable', '', "'one' is a scalable filter, and such filters cannot be merged: build one"],
])('merge refuses %j beside %j: %s', async (one, two, message) => {
  // Warnings of full filters are of no concern here.
  await told(`build old -o one ${one}`);
  await told(`build old -o two ${two}`);
  const before = readFileSync('one');
  const [code, , stderr] = await told('merge one two -o one');
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(readFileSync('one').equals(before)).toBe(true);
});

const keysOf = (name: string): string[] => load(readFileSync(name)).pick(['a', 'b', 'c', 'd', '-']);

beforeEach(() => write({ made: BloomFilter.from(['a', 'b', '-'], { capacity: 100, errorRate: 1e-9 }) }));

describe('add', () => {
  it('adds lines to a saved filter of any kind', async () => {
    writeFileSync('counting', CountingBloomFilter.from(['a', 'b', '-'], { capacity: 100, errorRate: 1e-9 }).toBytes());
    for (const name of ['made', 'counting']) {
      expect(await told(`add ${name}`, 'c\nb\n')).toEqual([0, '', '']);
      expect(keysOf(name)).toEqual(['a', 'b', 'c', '-']);
    }
  });

  it('leaves the filter as it was if an input cannot be read', async () => {
    const before = readFileSync('made');
    write({ good: 'c\n', 'bad.gz': 'c\n' });
    for (const bad of ['missing', 'bad.gz']) expect((await told(`add made good ${bad}`))[0]).toBe(2);
    const message = 'bloomery: the filter must be a file, because it is read and written\n';
    expect(await told('add - good')).toEqual([2, '', message]);
    expect(readFileSync('made').equals(before)).toBe(true);
  });
});

describe('has', () => {
  it.each<[string, number, string, (string | Uint8Array)?]>([
    ['has made a b', 0, 'a\nb\n'],
    ['has made a x b', 1, 'a\nb\n'],
    ['has --quiet made x', 1, ''],
    ['has -q made -- -', 0, ''],
    ['has made -', 0, 'b\r\nb\na\n', 'b\r\nb\na'],
    ['has made - a', 1, 'a\nb\n', 'x\nb\n'],
    ['has -q made -', 1, '', 'a\nx\n'],
    ['has made -', 1, '', 'x\n'],
    ['has made -', 0, 'b\n', gzipSync('b\n')],
    ['has made -z - a', 0, 'a\0b\0', 'b'],
  ])('prints the keys that may be present, those of stdin for -: %s, %i, %j', async (line, code, expected, input) => {
    expect(await told(line, input)).toEqual([code, expected, '']);
  });

  it.each(['has - -', 'has made - -', 'merge - - -o made'])('reads stdin only once: %s', async (line) => {
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

const KEYS = Array.from({ length: 3000 }, (_, i) => `key/${2 * i}`);
const ASKED = Array.from({ length: 6000 }, (_, i) => `key/${i}\r\n`).join('');
const secret = Buffer.alloc(16, 7);

beforeAll(() => {
  write({
    blocked: BlockedBloomFilter.from(KEYS),
    classic: BloomFilter.from(KEYS),
    fuse: BinaryFuseFilter.from(KEYS),
    sharded: ShardedFuseFilter.from(KEYS, { shards: 8 }),
    keyed: keyed(BloomFilter, secret).from(KEYS),
    tombstone: new TombstoneFilter(BloomFilter.from(['a'])),
  });
  const blocked = readFileSync('blocked');
  write({ 'zipped.gz': gzipSync(blocked), cut: blocked.subarray(0, 1000) });
  write({ secret, asked: ASKED, few: 'key/2\nnobody\n' });
  // The last block is damaged. No lookup below needs it, so only a load notices.
  const large = new BlockedBloomFilter({ bits: 2 ** 28 }).addMany(KEYS).toBytes();
  writeFileSync('large', large.fill(0xaa, -32));
});

describe('has, pick and omit with --no-load', () => {
  const names = ['blocked', 'classic', 'fuse', 'sharded', 'keyed --secret-file secret'];
  it.each(names)('answer as they do with a loaded filter: %s', async (filter) => {
    const both = async (line: string) => {
      const opened = await told(`${line} ${filter} --no-load`, ASKED);
      expect(opened).toEqual(await told(`${line} ${filter} --load`, ASKED));
      expect(opened[2]).toBe('');
      return opened.slice(0, 2);
    };
    expect(await both('pick')).toEqual([0, expect.stringContaining('key/2\r\nkey/4\r\n')]);
    expect(await both('omit --field 2 --delimiter /')).toEqual([0, expect.stringContaining('key/5\r\n')]);
    expect(await both('omit --count --null')).toEqual([0, '1\n']);
    expect(await both('pick --quiet')).toEqual([0, '']);
  });

  it('say which file is damaged, if a lookup sees it', async () => {
    const set = FingerprintSet.from(KEYS).toBytes();
    // Each two neighbors change places.
    for (let at = 64; at < set.length; at += 24)
      set.set([...set.subarray(at + 12, at + 24), ...set.slice(at, at + 12)], at);
    writeFileSync('set', set);
    const message = /^bloomery: 'set' is damaged: its fingerprint \d+/;
    for (const line of ['has --no-load set key/2 key/0 key/4 key/6', 'pick --no-load set asked']) {
      expect(await told(line)).toEqual([2, '', expect.stringMatching(message)]);
    }
  });

  const cannot = 'bloomery: --no-load cannot be used: ';
  it.each([
    ['zipped.gz a', `${cannot}'zipped.gz' does not begin as a filter does, or is compressed\n`],
    ['tombstone a', `${cannot}'tombstone' is a tombstone filter, which must be loaded\n`],
    ['- a', `${cannot}stdin can be read only once\n`],
    ['missing a', `${cannot}'missing' is not a file\n`],
    ['blocked a --format guava', 'is in the format of another system'],
    ['cut a', "bloomery: 'cut' is damaged: it has 1000 of "],
    ['keyed a', '--secret-file is missing'],
    ['--load blocked a', 'bloomery: --load and --no-load exclude each other\n'],
    // Root may read any file.
    ...(process.getuid?.() === 0 ? [] : [['private a', "bloomery: cannot read 'private': permission denied\n"]]),
  ] as [string, string][])('fail where the filter must be loaded: %s', async (args, message) => {
    writeFileSync('private', '', { mode: 0 });
    expect(await told(`has --no-load ${args}`)).toEqual([2, '', expect.stringContaining(message)]);
  });
});

describe('a large filter', () => {
  it.each([
    ['has large key/2 nobody', 1, 'key/2\n'],
    ['pick large few', 0, 'key/2\n'],
    ['omit large few', 0, 'nobody\n'],
    ['has --no-load large key/4 -', 1, 'key/4\nkey/2\n'],
  ])('is not loaded for few keys: %s', async (line, code, expected) => {
    expect(await told(line, 'key/2\nnobody\n')).toEqual([code, expected, '']);
  });

  it.each([
    'has --load large key/2',
    'pick --load large few',
    // Too many keys, or nobody knows how many.
    'pick large asked',
    'omit large',
    'has large -',
    'has large LONG',
  ])('is loaded with --load or for many, which its checksum shows: %s', async (line) => {
    const message = "bloomery: 'large' is damaged: its checksum is wrong\n";
    expect(await told(line.replace('LONG', 'x'.repeat(200_000)), 'key/2\n')).toEqual([2, '', message]);
  });
});
