import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entries } from '../engines.ts';
import { asynchronous, concat, filled, HEADER, KINDS, keysOf, MIB, readers, readersOf, splitAt } from './saved.ts';

/** Cells for a body of so many bytes. */
const cellsFor = (kind: string, bytes: number): number => bytes * (kind === 'counting' ? 2 : 8);

const pairs = entries.flatMap((from) => entries.map((to) => ({ name: `${from.name} to ${to.name}`, from, to })));

describe.each(pairs)('a saved filter: $name', ({ from, to }) => {
  it.each(KINDS)('comes back byte for byte: %s', (kind) => {
    const cells = fc.integer({ min: 1, max: 20_000 });
    fc.assert(
      fc.property(cells, fc.integer({ min: 0, max: 500 }), (m, count) => {
        using filter = filled(kind, m, count, from.api);
        const saved = filter.toBytes();
        using read = readersOf(to.api)[kind].fromBytes(saved);
        expect(concat(filter.toChunks())).toEqual(saved);
        expect(read.toBytes()).toEqual(saved);
        expect(concat(read.toChunks())).toEqual(saved);
        expect(read.equals(filter)).toBe(true);
        expect(read.fillRatio()).toBe(filter.fillRatio());
        expect(read.estimateCount()).toBe(filter.estimateCount());
        expect(read.engine).toBe(to.name);
      }),
      { seed: 1, numRuns: 50 },
    );
  });

  it('keeps its promise and its seed', () => {
    for (const kind of KINDS) {
      for (const options of [
        { capacity: 1 },
        { capacity: 1234, errorRate: 0.0123 },
        { capacity: 77, errorRate: 1e-5, seed: 2 ** 32 - 1 },
        { capacity: 50_000, errorRate: 0.9999, seed: 1 },
      ]) {
        const classes = {
          classic: from.api.BloomFilter,
          blocked: from.api.BlockedBloomFilter,
          counting: from.api.CountingBloomFilter,
        };
        const filter = new classes[kind](options);
        const { capacity, errorRate, seed, hashes, byteLength } = filter;
        const read = readersOf(to.api)[kind].fromBytes(filter.toBytes());
        expect(read).toMatchObject({ capacity, errorRate, seed, hashes, byteLength });
        expect(read).toMatchObject(options);
      }
    }
  });
});

describe.each(readers)('a saved filter: $name', ({ kind, Filter, load }) => {
  it('is of the class that load finds', () => {
    for (const { api } of entries) {
      const read = load(filled(kind, 100, 5, api).toBytes());
      expect(read).toBeInstanceOf(Filter);
      expect(read.kind).toBe(kind);
    }
  });

  it('may lie anywhere in a buffer, and is not kept', () => {
    const saved = filled(kind, 500, 20).toBytes();
    const buffer = new Uint8Array(saved.length + 30);
    buffer.set(saved, 13);
    const read = Filter.fromBytes(buffer.subarray(13, 13 + saved.length));
    buffer.fill(255);
    expect(read.toBytes()).toEqual(saved);
  });

  it('can be used on, apart from the file', () => {
    const saved = filled(kind, 5000, 20).toBytes();
    const read = Filter.fromBytes(saved);
    read.addMany(keysOf(40));
    expect(read.hasMany(keysOf(40))).toEqual(new Uint8Array(40).fill(1));
    expect(read.toBytes()).not.toEqual(saved);
    expect(Filter.fromBytes(saved).equals(filled(kind, 5000, 20))).toBe(true);
  });

  it('comes in chunks of any size, at once or later', async () => {
    const saved = filled(kind, 3001, 100).toBytes();
    const ends = fc.array(fc.integer({ min: 0, max: saved.length }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(ends, async (places) => {
        const chunks = splitAt(saved, places);
        expect(Filter.fromChunks(chunks).toBytes()).toEqual(saved);
        expect((await Filter.fromChunks(asynchronous(chunks))).toBytes()).toEqual(saved);
      }),
      { seed: 2, numRuns: 50 },
    );
  });

  it('comes byte by byte, with empty chunks between, in one buffer that is used again', () => {
    const saved = filled(kind, 800, 50).toBytes();
    function* bytewise() {
      const chunk = new Uint8Array(1);
      for (const byte of saved) {
        yield chunk.subarray(1);
        chunk[0] = byte;
        yield chunk;
      }
      yield new Uint8Array();
    }
    expect(Filter.fromChunks(bytewise()).toBytes()).toEqual(saved);
  });

  it('comes as a ReadableStream', async () => {
    const saved = filled(kind, 5000, 200).toBytes();
    expect((await Filter.fromChunks(new Blob([saved]).stream())).toBytes()).toEqual(saved);
  });

  it.each([MIB, MIB + 64, 1.5 * MIB, 2 * MIB, 2.25 * MIB + 32])('holds a body of %d bytes', async (bytes) => {
    const filter = filled(kind, cellsFor(kind, bytes), 30_000);
    expect(filter.byteLength).toBe(bytes);
    const chunks = [...filter.toChunks()];
    const whole = Array.from({ length: Math.floor(bytes / MIB) }, () => MIB);
    const last = bytes % MIB === 0 ? [] : [bytes % MIB];
    expect(chunks.map(({ length }) => length)).toEqual([HEADER, ...whole, ...last]);
    const saved = filter.toBytes();
    expect(Buffer.compare(concat(chunks), saved)).toBe(0);
    for (const size of [65_537, 999_983, MIB + 1, 3 * MIB]) {
      const ends = Array.from({ length: Math.floor(saved.length / size) }, (_, i) => (i + 1) * size);
      using read = Filter.fromChunks(splitAt(saved, ends));
      using later = await Filter.fromChunks(asynchronous(splitAt(saved, ends)));
      expect(read.equals(filter) && later.equals(filter)).toBe(true);
      expect(Buffer.compare(read.toBytes(), saved)).toBe(0);
    }
  });
});

describe('files that are read at the same time', () => {
  it('do not disturb each other', async () => {
    for (const { api } of entries) {
      const files = KINDS.flatMap((kind) =>
        [300, 30_000, 3_000_000].map((cells) => filled(kind, cells, 100).toBytes()),
      );
      const read = await Promise.all(
        files.map((file) => {
          const Filter = readersOf(api)[KINDS[(file[5] ?? 0) - 1] ?? 'classic'];
          return Filter.fromChunks(asynchronous(splitAt(file, [10, 70, 90, file.length >> 1])));
        }),
      );
      expect(read.every((filter, i) => Buffer.compare(filter.toBytes(), files[i] ?? Buffer.of()) === 0)).toBe(true);
    }
  });
});
