// Bytes that are no saved filter: refused in every way of reading, with a reason, and without keeping memory.
// test/format/own-parameters.slow.test.ts has the parameters that only one kind has.

import { expect, it } from 'vitest';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import { BloomFilter, CountingBloomFilter } from '../../src/index.ts';
import { kinds } from '../shared/kinds.ts';
import { classOn, watched } from '../shared/open.ts';
import { concat } from '../shared/stream-tools.ts';
import { all, type Change, expectNoAllocation, expectRefused, f64, measured, setBit, u8, u32, u64 } from './refusal.ts';
import { asynchronous, errorOf, forge, HEADER, keysOf, layoutOf, MIB, REFUSED } from './saved.ts';

/** Options with which two keys take several segments. */
const several: Readonly<Record<string, object>> = {
  scalable: { capacity: 1 },
  'sharded-fuse': { shards: 4 },
  'fuse-map': { shards: 4 },
};

it.each(kinds)('a file is refused with any bit flipped, with bytes cut off, and with bytes added: $kind', (row) => {
  const saved = row.Filter.from(keysOf(2), several[row.kind]).toBytes();
  // The ways of reading take turns.
  for (let bit = 0; bit < 8 * saved.length; bit++) {
    const bad = saved.with(bit >> 3, (saved[bit >> 3] ?? 0) ^ (1 << (bit & 7)));
    expectRefused(row.Filter, bad, REFUSED, `bit ${bit}`, bit);
  }
  for (let length = 0; length < saved.length; length++) {
    expectRefused(row.Filter, saved.slice(0, length), REFUSED, `${length} bytes`, length);
  }
  for (const extra of [1, 7, 64, saved.length]) {
    expectRefused(row.Filter, concat([saved, new Uint8Array(extra)]), REFUSED, `${extra} extra bytes`);
  }
});

const Filter = BloomFilter;
const saved = new Filter({ bits: 83, hashes: 3, seed: 5 }).addMany(keysOf(4)).toBytes();
const NAN = Number.NaN;

/** States `cells` bits and a matching body length. */
const claim = (cells: bigint): Change => all(u64(16, cells), u64(48, (cells + 7n) / 8n));
const promise = (capacity: bigint, rate: number): Change => all(u64(24, capacity), f64(32, rate));

/** Changes that each put one of these values at an offset. */
const puts = <V>(put: (at: number, value: V) => Change, at: number, ...values: V[]): Change[] =>
  values.map((value) => put(at, value));
const wrongRates = [-0, 1, 1.5, -0.01, NAN, Infinity, -Infinity, -5e-324].map((rate) => promise(10n, rate));
const wrongCells = [0n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n].flatMap((cells) => [u64(16, cells), claim(cells)]);
const kindSaying = /its kind is (0|16|255), and (not a classic one|none of BloomFilter, .+)$/;

it.each<[what: string, saying: RegExp, changes: Change[]]>([
  ['another version', /its version is (0|2|255)$/, puts(u8, 4, 0, 2, 255)],
  ['a kind that nobody knows', kindSaying, puts(u8, 5, 0, 16, 255)],
  ['a hash that nobody knows', /its hash is (0|3|255)$/, puts(u8, 6, 0, 3, 255)],
  ['other bits per cell', /its number of bits per cell is \d+$/, puts(u8, 7, 0, 2, 4, 255)],
  ['hashes out of range', /its number of hashes is \d+$/, puts(u32, 12, 0, 256, 2 ** 32 - 1)],
  ['cells out of range', /its number of cells is \d+$/, wrongCells],
  // The last one would match if it were truncated to 32 bits.
  ['cells that do not fit the body', /its body length is 11$/, puts(u64, 16, 1n, 80n, 89n, 2n ** 32n + 83n)],
  ['another length', /its body length is \d+$/, puts(u64, 48, 0n, 10n, 12n, 2n ** 32n + 11n, 2n ** 64n - 1n)],
  ['a capacity out of range', /its capacity is \d+$/, [2n ** 53n, 2n ** 64n - 1n].map((n) => promise(n, 0.01))],
  ['a capacity without a rate', /its error rate is 0$/, [u64(24, 10n)]],
  ['a rate without a capacity', /its error rate is /, [0.01, NAN, -0, Infinity, 5e-324].map((rate) => f64(32, rate))],
  ['a rate that is none', /its error rate is /, wrongRates],
  ['another body offset', /its body offset is \d+$/, puts(u32, 40, 0, 63, 65, 128, 2 ** 32 - 1)],
  ['other segments', /its number of segments is \d+$/, puts(u32, 44, 0, 2, 2 ** 32 - 1)],
])('a header with a checksum that matches is refused with %s', (what, saying, changes) => {
  for (const [i, change] of changes.entries()) expectRefused(Filter, forge(saved, change), saying, `${what} ${i}`);
});

it.each([
  Filter.fromBytes(saved),
  new CountingBloomFilter({ counters: 21, hashes: 3 }),
  new SpatialBloomFilter({ cells: 41, hashes: 3, labels: 2 }),
])('a file is refused with bits set after the last cell: $kind', (filter) => {
  const file = filter.toBytes();
  const bits = filter.cellCount * filter.cellBits;
  expect(bits % 8).toBeGreaterThan(0);
  for (let bit = bits; bit % 8; bit++) {
    const forged = forge(file, setBit(8 * layoutOf(file)[0] + bit));
    expectRefused(filter.constructor, forged, /its padding bits are not zero/, `bit ${bit}`);
  }
});

it.each([5e-324, 1 - 2 ** -53])('a file is harmless with an error rate that no real filter has: %s', (errorRate) => {
  const file = forge(saved, promise(2n ** 53n - 1n, errorRate));
  expect(Filter.fromBytes(file)).toMatchObject({ capacity: Number.MAX_SAFE_INTEGER, errorRate });
});

it('memory is allocated as bytes come, whatever size a header states', async () => {
  for (const bits of [2n ** 31n, 2n ** 33n, 2n ** 35n - 2n ** 20n, 2n ** 36n]) {
    const header = forge(saved.slice(0, HEADER), claim(bits), [HEADER, []]);
    expectNoAllocation(Filter, header);
    for (const body of [0, 1, MIB + 1]) {
      const chunks = [header, new Uint8Array(body)];
      const { engine, regions, most } = measured(Filter.engine);
      const Watched = classOn(Filter, engine);
      expect(errorOf(() => Watched.fromChunks(chunks))).toBeInstanceOf(RangeError);
      await expect(Watched.fromChunks(asynchronous(chunks))).rejects.toThrow(RangeError);
      // The scratch, and an eighth more than the parts of 1 MiB so far.
      expect(most()).toBeLessThan(2 * MIB + 2 * body);
      expect(regions.map(({ disposed }) => disposed)).toEqual(bits < 8 * engine.maxBytes ? [true, true] : []);
    }
  }
});

it('is foreign if any of its first four bytes is another', () => {
  for (const i of [0, 1, 2, 3]) {
    expect(errorOf(() => Filter.fromBytes(saved.with(i, 0)))).toMatchObject({ code: 'FOREIGN' });
  }
});

it('is truncated if it ends within its header, also before its first byte', () => {
  for (let length = 0; length < HEADER; length++) {
    const error = errorOf(() => Filter.fromBytes(saved.subarray(0, length)));
    expect(error).toMatchObject({ code: 'TRUNCATED', reason: `it has ${length} of 64 bytes` });
    expect(errorOf(() => Filter.fromChunks([saved.subarray(0, length)]))).toMatchObject({ code: 'TRUNCATED' });
  }
});

it('what is no bytes is refused, and named', async () => {
  const detached = saved.slice();
  structuredClone(detached, { transfer: [detached.buffer] });
  const view = new DataView(saved.buffer);
  for (const wrong of [undefined, null, 'BLMY', 7, {}, view, [...saved], new Uint16Array(80), detached] as never[]) {
    const refuse = (call: () => unknown, message: RegExp): void => {
      expect(call).toThrow(TypeError);
      expect(call).toThrow(message);
    };
    refuse(() => Filter.fromBytes(wrong), /^bytes must be a Uint8Array/);
    refuse(() => Filter.fromChunks([wrong]), /^chunks\[0\] must be a Uint8Array/);
    refuse(() => Filter.fromChunks([saved.subarray(0, 70), wrong]), /^chunks\[1\] must be a Uint8Array/);
    await expect(Filter.fromChunks(asynchronous([wrong]))).rejects.toThrow(/^chunks\[0\] must be a Uint8Array/);
  }
  for (const wrong of [undefined, null, 'BLMY', 7, {}, saved, saved.buffer] as never[]) {
    expect(() => Filter.fromChunks(wrong)).toThrow(TypeError);
    expect(() => Filter.fromChunks(wrong)).toThrow(/^chunks must be an iterable or async iterable/);
  }
});

it('a source of chunks is closed, and its error passed on, after all memory was freed', async () => {
  const failure = new Error('the disk is gone');
  let closed = 0;
  function* chunks(first: Uint8Array): Generator<Uint8Array, void, undefined> {
    try {
      yield first;
      throw failure;
    } finally {
      closed++;
    }
  }
  const { engine, regions } = watched(Filter.engine);
  const Watched = classOn(Filter, engine);
  expect(errorOf(() => Watched.fromChunks(chunks(saved.subarray(0, 70))))).toBe(failure);
  await expect(Watched.fromChunks(asynchronous(chunks(saved.subarray(0, 70))))).rejects.toBe(failure);
  expect(regions.map(({ disposed }) => disposed)).toEqual([true, true]);
  const damaged = forge(saved, u8(4, 9));
  expect(() => Watched.fromChunks(chunks(damaged))).toThrow(REFUSED);
  await expect(Watched.fromChunks(asynchronous(chunks(damaged)))).rejects.toThrow(REFUSED);
  expect(() => Watched.fromChunks([saved, new Uint8Array(1)])).toThrow(/: bytes follow its body$/);
  expect(closed).toBe(4);
});
