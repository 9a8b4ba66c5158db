import { describe, expect, it, vi } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { DLeftCountingBloomFilter } from '../../src/entries/dleft.ts';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import type { LoadableClass } from '../../src/entries/load.ts';
import { blobSource, openFilter, type RangeSource } from '../../src/entries/open.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { ScalableBloomFilter } from '../../src/entries/scalable.ts';
import { WideBlockedBloomFilter } from '../../src/entries/wide.ts';
import { writeHead } from '../../src/format/header.ts';
import { BlockedBloomFilter, BloomFilter, type Filter } from '../../src/index.ts';
import { FUSE_FILE } from '../../src/kinds/fuse/file.ts';
import { cellsIn } from '../../src/kinds/fuse/sizing.ts';
import { SCALABLE } from '../../src/kinds/scalable/cells.ts';
import { blockedBitsOf, bytesOf, hashOf, indicesOf } from '../shared/oracle.ts';
import { type Counting, countingSource } from './filters.ts';

const MIB = 2 ** 20;

/** A file of a filter of about 8 MiB. */
const big = new BlockedBloomFilter({ bits: 64 * MIB }).addMany(['a', 'b']).toBytes();

async function readsFor(
  Class: LoadableClass,
  file: Uint8Array,
  keys: string[],
  options: Pick<RangeSource, 'gap'> = { gap: 0 },
): Promise<Counting['reads']> {
  const source = countingSource(file, options);
  const filter = await openFilter([Class], source);
  expect(source.reads).toHaveLength(1);
  source.reads.length = 0;
  await filter.hasMany(keys);
  return source.reads;
}

describe('the reads of a file that is not loaded', () => {
  it('are one a key for blocks, and as many as a key has buckets or cells in other kinds', async () => {
    const capacity = 400_000;
    const rows: [LoadableClass, Pick<Filter, 'kind' | 'toBytes'>, number, number][] = [
      [BlockedBloomFilter, new BlockedBloomFilter({ capacity }), 1, 32],
      [WideBlockedBloomFilter, new WideBlockedBloomFilter({ capacity }), 1, 64],
      [RotatingBloomFilter, new RotatingBloomFilter({ capacity, generations: 4 }), 1, 128],
      [CuckooFilter, new CuckooFilter({ capacity }), 2, 8],
      [BinaryFuseFilter, BinaryFuseFilter.from(new Uint32Array(capacity).map((_, i) => i)), 3, 2],
      [DLeftCountingBloomFilter, new DLeftCountingBloomFilter({ capacity }), 4, 16],
      [BloomFilter, new BloomFilter({ capacity, errorRate: 0.01 }), 7, 1],
    ];
    for (const [Class, filter, reads, length] of rows) {
      const each = await readsFor(Class, filter.toBytes(), ['ada']);
      expect([filter.kind, each.length]).toEqual([filter.kind, reads]);
      const opened = await openFilter([Class], countingSource(filter.toBytes()));
      expect(opened.parameters.reads).toBe(reads);
      for (const [, read] of each) expect(read).toBeLessThanOrEqual(length);
    }
  });

  it('are one a key for keys that are far apart, in the order of the file, and joined where they are near', async () => {
    const keys = Array.from({ length: 5000 }, (_, i) => `key ${i}`);
    // Two keys may share a block.
    const far = await readsFor(BlockedBloomFilter, big, keys.slice(0, 500));
    expect(far.length).toBeGreaterThan(495);
    expect(far.length).toBeLessThanOrEqual(500);
    const offsets = far.map(([offset]) => offset);
    expect(offsets).toEqual(offsets.toSorted((one, other) => one - other));
    expect((await readsFor(BlockedBloomFilter, big, keys)).length).toBeGreaterThan(4900);
    expect((await readsFor(BlockedBloomFilter, big, keys, { gap: 1000 })).length).toBeLessThan(3500);
    expect(await readsFor(BlockedBloomFilter, big, keys, {})).toEqual(
      await readsFor(BlockedBloomFilter, big, keys, { gap: 4096 }),
    );
    const nearest = await readsFor(BlockedBloomFilter, big, keys, { gap: MIB });
    expect(nearest.length).toBe(8);
    for (const [, length] of nearest) expect(length).toBeLessThanOrEqual(MIB);
    const small = new BlockedBloomFilter({ bits: 2 ** 16 }).toBytes();
    const two = await readsFor(BlockedBloomFilter, small, ['a', 'b']);
    const [[start, length], [next, more]] = two as [[number, number], [number, number]];
    const between = next - start - length;
    expect(await readsFor(BlockedBloomFilter, small, ['a', 'b'], { gap: between - 1 })).toEqual(two);
    expect(await readsFor(BlockedBloomFilter, small, ['a', 'b'], { gap: between })).toEqual([
      [start, next + more - start],
    ]);
  });

  it.each([
    [3, 3],
    [undefined, 8],
  ])('are few at a time, over all calls: %s', async (inFlight, most) => {
    const source = countingSource(big, { gap: 0, inFlight });
    const filter = await openFilter([BlockedBloomFilter], source);
    for (const letters of ['cde', 'fgh']) {
      const lists = [...letters].map((letter) => Array.from({ length: 99 }, (_, i) => letter + i));
      await Promise.all(lists.map((keys) => filter.pick(keys)));
      expect(source.most).toBe(most);
    }
    source.most = 0;
    await filter.verify();
    expect(source.most).toBe(Math.min(most, 4));
  });

  it('are not repeated while the cache has their pages, up to its limit', async () => {
    const source = countingSource(big, { gap: 0 });
    const filter = await openFilter([BlockedBloomFilter], source, { cacheBytes: 10 * 4096 });
    source.reads.length = 0;
    for (let i = 0; i < 3; i++) expect(await filter.has('a')).toBe(true);
    expect(source.reads).toHaveLength(1);
    expect(source.reads[0]?.[1]).toBe(4096);
    // The page of a stays, because it is asked for again and again; those of the others go.
    for (let i = 0; i < 50; i++) await filter.pick([`other ${i}`, 'a']);
    expect(source.reads.length).toBeGreaterThan(45);
    expect(source.reads.length).toBeLessThanOrEqual(51);
    source.reads.length = 0;
    await filter.hasMany(['a', 'other 0']);
    expect(source.reads).toHaveLength(1);
    await filter.has('other 49');
    expect(source.reads).toHaveLength(1);
    const small = await openFilter([BlockedBloomFilter], source, { cacheBytes: 4095 });
    source.reads.length = 0;
    for (let i = 0; i < 3; i++) await small.has('a');
    expect(source.reads).toHaveLength(3);
    // One for the head, and one for the only page.
    const one = await openFilter([BlockedBloomFilter], source, { cacheBytes: 4096 });
    for (let i = 0; i < 3; i++) await one.has('a');
    expect(source.reads).toHaveLength(5);
    // A read of many pages has those that are known, wherever they are in it.
    const whole = await openFilter([BlockedBloomFilter], countingSource(big, { gap: MIB }), { cacheBytes: 8 * MIB });
    const others = Array.from({ length: 5000 }, (_, i) => `other ${i}`);
    for (const keys of [['a'], ['a', 'b', ...others]])
      expect((await whole.pick(keys)).slice(0, 2)).toEqual(keys.slice(0, 2));
  });

  it('of verify are the whole file, and find damage', async () => {
    const source = countingSource(big);
    await (await openFilter([BlockedBloomFilter], source)).verify();
    const last = source.reads.at(-1) as [number, number];
    expect(last[0] + last[1]).toBe(big.length);
    const damaged = big.slice();
    damaged[big.length - 5] = 1;
    const filter = await openFilter([BlockedBloomFilter], blobSource(new Blob([damaged])));
    await expect(filter.verify()).rejects.toThrow('bytes must be a saved filter: its checksum is wrong');
    expect(await filter.has('a')).toBe(true);
  });
});

/** The file of a filter of `cells` bits that holds one key, which has these bits: read as it is asked for. */
function endless(file: Uint8Array, cells: number, bits: readonly number[]): RangeSource {
  const head = file.slice(0, 64);
  const view = new DataView(head.buffer);
  view.setBigUint64(16, BigInt(cells), true);
  view.setBigUint64(48, BigInt(cells / 8), true);
  return {
    size: 64 + cells / 8,
    gap: 0,
    async read(offset, length) {
      if (offset === 0) return Buffer.concat([head, new Uint8Array(length - 64)]);
      const bytes = new Uint8Array(length);
      for (const bit of bits) {
        const at = 64 + Math.floor(bit / 8) - offset;
        if (at >= 0 && at < length) bytes[at] = (bytes[at] as number) | (1 << (bit % 8));
      }
      return bytes;
    },
  };
}

describe('a filter that no memory can hold', () => {
  it('has every bit where it belongs: a classic one of a TiB', async () => {
    const m = 2 ** 43 - 64;
    const source = endless(new BloomFilter({ bits: 64, hashes: 30 }).toBytes(), m, indicesOf('ada', m, 30, 0));
    const filter = await openFilter([BloomFilter], source);
    expect(await filter.pick(['ada', 'eve', 'bob'])).toEqual(['ada']);
    expect(filter.parameters).toMatchObject({ cellCount: m, byteLength: m / 8, reads: 30 });
  });

  it('has every bit where it belongs: a blocked one of the most blocks that there can be', async () => {
    const blocks = 2 ** 32 - 1;
    const bits = blockedBitsOf(hashOf(bytesOf('ada'), 0)[0], blocks);
    const source = endless(new BlockedBloomFilter({ bits: 256 }).toBytes(), 256 * blocks, bits);
    const filter = await openFilter([BlockedBloomFilter], source, { cacheBytes: 4096 });
    expect(await filter.pick(['ada', 'eve', 'bob'])).toEqual(['ada']);
  });

  it('is read inside of its file: a fuse filter of almost 2^32 cells', async () => {
    const own = { exponent: 18, segments: 2 ** 14 - 3, attempt: 0, count: 1 };
    const cellCount = cellsIn(own);
    const parameters = { cellCount, hashes: 3, seed: 0, capacity: 1, errorRate: 2 ** -8 };
    const head = writeHead(FUSE_FILE, { parameters, cellBits: 8, own });
    const size = head.length + cellCount;
    const read = vi.fn(async (offset: number, length: number) =>
      offset === 0 ? Buffer.concat([head, new Uint8Array(length - head.length)]) : new Uint8Array(length),
    );
    const filter = await openFilter([BinaryFuseFilter], { size, gap: 0, read });
    read.mockClear();
    await filter.hasMany(Array.from({ length: 100 }, (_, i) => i));
    const offsets = read.mock.calls.map(([offset]) => offset);
    expect(offsets.filter((offset) => offset >= head.length && offset < size)).toHaveLength(300);
    expect(offsets.filter((offset) => offset > size / 2).length).toBeGreaterThan(100);
  });

  it('is refused beyond a PiB', async () => {
    const source = endless(new BloomFilter({ bits: 64, hashes: 1 }).toBytes(), 2 ** 53 - 64, []);
    const opening = openFilter([BloomFilter], source);
    await expect(opening).rejects.toThrow(/^source.size must be an integer from 0 to \d+, got/);
  });
});

it('a key may take more reads than are made together for many keys', async () => {
  const subFilters = Array.from({ length: 40 }, (_, i) => ({
    parameters: { cellCount: 512, hashes: 255, capacity: 2 ** i },
    count: 2 ** i,
  }));
  const parameters = { cellCount: 40 * 512, hashes: 255, seed: 0, capacity: 1, errorRate: 0.01 };
  const head = writeHead(SCALABLE, { parameters, cellBits: 1, own: { growth: 2, tightening: 0.5, subFilters } });
  for (const byte of [0, 255]) {
    const file = Buffer.concat([head, new Uint8Array(40 * 64).fill(byte)]);
    const filter = await openFilter([ScalableBloomFilter], countingSource(file));
    expect(filter.parameters.reads).toBe(40 * 255);
    expect([...(await filter.hasMany(['a', 'b']))]).toEqual([byte & 1, byte & 1]);
  }
});

/** A source that fails from the second read on. */
function failing(read: RangeSource['read']): Counting {
  const source = countingSource(big, { gap: 0, inFlight: 2 });
  const first = source.read.bind(source);
  let count = 0;
  source.read = (...args) => (count++ === 0 ? first(...args) : read(...args));
  return source;
}

describe('a source that fails', () => {
  const many = Array.from({ length: 100 }, (_, i) => i);

  it('rejects a lookup with its error, and is not read any more for it', async () => {
    let reads = 0;
    const source = failing(async () => {
      reads++;
      throw new Error('no such disk');
    });
    const filter = await openFilter([BlockedBloomFilter], source);
    await expect(filter.pick(many)).rejects.toThrow('no such disk');
    expect(reads).toBeLessThanOrEqual(2);
    await expect(filter.has('a')).rejects.toThrow('no such disk');
    const close = vi.fn();
    const endless = { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 0 }) as const, return: close }) };
    await expect(filter.pick(endless)).rejects.toThrow('no such disk');
    expect(close).toHaveBeenCalledOnce();
    await expect(filter.verify()).rejects.toThrow('no such disk');
  });

  it.each<[string, (length: number) => unknown, object]>([
    ['too few', (length) => new Uint8Array(length - 1), { code: 'BYTES', name: 'SourceError' }],
    ['too many', (length) => new Uint8Array(length + 1), { code: 'BYTES', name: 'SourceError' }],
    ['none', () => 'bytes', { message: 'what source.read gives must be a Uint8Array, got "bytes"' }],
  ])('is refused if it gives other bytes than were asked for: %s', async (_, give, error) => {
    const source = failing(async (_, length) => give(length) as Uint8Array);
    const filter = await openFilter([BlockedBloomFilter], source);
    await expect(filter.has('a')).rejects.toMatchObject(error);
  });

  it('is refused if it is no source', async () => {
    for (const source of [null, undefined, 7, 'file', {}, { read: 1, size: 2 }, new Blob([])]) {
      await expect(openFilter([BloomFilter], source as never)).rejects.toThrow(/^source must be a source, such as/);
    }
    const read = async () => new Uint8Array(0);
    for (const size of [-1, 1.5, 2 ** 51, Number.NaN]) {
      await expect(openFilter([BloomFilter], { size, read })).rejects.toThrow(RangeError);
    }
    await expect(openFilter([BloomFilter], { size: 9, inFlight: 0, read })).rejects.toThrow(/^source.inFlight must be/);
    await expect(openFilter([BloomFilter], { size: 9, gap: -1, read })).rejects.toThrow(/^source.gap must be/);
    await expect(openFilter([BloomFilter], Promise.reject(new Error('no file')))).rejects.toThrow('no file');
  });
});

describe('options and arguments of opened filters', () => {
  it('are refused if they are wrong', async () => {
    const filter = await openFilter([BlockedBloomFilter], countingSource(big));
    await expect(filter.has({} as never)).rejects.toThrow(TypeError);
    await expect(filter.pick(['a', 1.5])).rejects.toThrow(/keys\[1\]/);
    await expect(filter.has('a', { signal: 1 as never })).rejects.toThrow('signal must be an AbortSignal, got 1');
    const misspelled = filter.has('a', { sginal: 1 } as never);
    await expect(misspelled).rejects.toThrow(/^unknown option sginal; the options are signal/);
    const given = (options: object) => openFilter([BlockedBloomFilter], countingSource(big), options);
    await expect(given({ cacheBytes: -1 })).rejects.toThrow(RangeError);
    await expect(given({ cacheBytes: null })).rejects.toThrow(TypeError);
    await expect(given({ cacheBites: 1 })).rejects.toThrow(/^unknown option cacheBites; the options are .*cacheBytes/);
    const source = countingSource(big);
    await expect(openFilter([], source)).rejects.toThrow(TypeError);
    await expect(openFilter(BlockedBloomFilter as never, countingSource(big))).rejects.toThrow(TypeError);
    await expect(openFilter([BloomFilter], countingSource(big))).rejects.toThrow(
      /it is a blocked filter, and none of BloomFilter: import its class from 'bloomery', and give it to openFilter/,
    );
    expect(source.closes).toBe(1);
  });
});
