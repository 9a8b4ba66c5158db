import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowBitsFor, PlaceReader, PlaceWriter } from '../../src/delta/rice.ts';
import { diff, patch } from '../../src/entries/delta.ts';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { BlockedBloomFilter, BloomFilter } from '../../src/index.ts';
import { kinds } from '../shared/kinds.ts';

const keys = Array.from({ length: 10_100 }, (_, i) => `key ${i}`);
const filterOf = (count: number) => new BloomFilter({ capacity: 12_000 }).addMany(keys.slice(0, count));
const old = filterOf(10_000).toBytes();
const next = filterOf(10_100).toBytes();

describe('what has changed between two filters', () => {
  it('makes the new one of the old one, in a twentieth of its size for 1 % of new keys', () => {
    const delta = diff(old, next);
    expect(patch(old, delta)).toEqual(next);
    expect(BloomFilter.fromBytes(patch(old, delta)).has('key 10099')).toBe(true);
    expect(delta.length).toBeLessThan(old.length / 20);
    const blocked = (count: number) =>
      new BlockedBloomFilter({ capacity: 12_000 }).addMany(keys.slice(0, count)).toBytes();
    expect(diff(blocked(10_000), blocked(10_100)).length).toBeLessThan(blocked(0).length / 20);
  });

  it('is little more than a head if nothing has changed, and works if everything has', () => {
    expect(diff(old, old)).toHaveLength(32 + 64);
    expect(patch(old, diff(old, old))).toEqual(old);
    const full = BloomFilter.fromBytes(old);
    full.addMany(Array.from({ length: 200_000 }, (_, i) => i));
    expect(patch(old, diff(old, full.toBytes()))).toEqual(full.toBytes());
    expect(patch(full.toBytes(), diff(full.toBytes(), old))).toEqual(old);
  });

  it('has the bytes of the specification, here with 8 low bits for the places 241, 265 and 520', () => {
    const filter = new BloomFilter({ bits: 1000, hashes: 3 });
    const before = filter.toBytes();
    const after = filter.addMany(['a']).toBytes();
    const prefix = Buffer.from('424c4d44010800000300000000000000f91bdc55cece78030000000000000000', 'hex');
    const delta = Buffer.concat([prefix, after.subarray(0, 64), Buffer.from('e25df007', 'hex')]);
    expect(Buffer.compare(diff(before, after), delta)).toBe(0);
  });

  it('is short also where bytes lie anywhere in a buffer', () => {
    const moved = (bytes: Uint8Array): Uint8Array => new Uint8Array([9, 9, 9, ...bytes]).subarray(3);
    expect(patch(moved(old), moved(diff(moved(old), moved(next))))).toEqual(next);
  });

  it.each(kinds)('is exact for two files of one size: $name', ({ Filter, options, isStatic, isExact }) => {
    let exact = 0;
    const counts = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }));
    const property = fc.property(options, counts, (opts, [some, others]) => {
      const one = Filter.from(keys.slice(0, some), opts).toBytes();
      const other = Filter.from(keys.slice(20, 20 + (isExact ? some : others)), opts).toBytes();
      // Filters that grow, or are made of all keys at once, may have another size with other keys.
      const isOfOneSize = one.length === other.length && one.subarray(0, 24).every((byte, i) => byte === other[i]);
      if (!isOfOneSize) return;
      expect(patch(one, diff(one, other))).toEqual(other);
      exact++;
    });
    fc.assert(property, { seed: 6, numRuns: isStatic ? 40 : 20 });
    expect(exact).toBeGreaterThan(isStatic ? 2 : 5);
  });

  it('is refused for filters that differ in more than their keys', () => {
    const others = [
      new BloomFilter({ capacity: 12_001 }),
      new BloomFilter({ capacity: 12_000, seed: 1 }),
      new BlockedBloomFilter({ capacity: 12_000 }),
      BinaryFuseFilter.from(keys),
    ];
    const message = /^next must be a filter of the kind, size, seed and hash of old$/;
    for (const other of others) {
      expect(() => diff(old, other.toBytes())).toThrow(RangeError);
      expect(() => diff(other.toBytes(), old)).toThrow(message);
    }
    // As many removed keys, of bases that are not of one size.
    const around = (capacity: number) => new TombstoneFilter(new BloomFilter({ capacity })).toBytes();
    expect(() => diff(around(1000), around(2000))).toThrow(message);
    expect(() => diff('old' as never, next)).toThrow(/^old must be a Uint8Array, got "old"/);
    expect(() => diff(old, old.subarray(1))).toThrow(/BLMY/);
    expect(() => diff(old, next.subarray(0, -1))).toThrow(/it has \d+ of \d+ bytes/);
    const headless = old.slice();
    new DataView(headless.buffer).setUint32(40, 0, true);
    new DataView(headless.buffer).setUint32(48, old.length, true);
    expect(() => diff(headless, headless)).toThrow(expect.objectContaining({ code: 'DAMAGED' }));
    expect(() => patch(new Uint8Array(9), diff(old, next))).toThrow(/BLMY/);
  });

  it('is refused for another file than it was made of', () => {
    const delta = diff(old, next);
    for (const file of [next, filterOf(9999).toBytes()]) {
      expect(() => patch(file, delta)).toThrow(/^old must be the file that the delta was made from, got another one$/);
    }
  });

  it('is refused if bits are set, or bytes follow, after its last place', () => {
    const other = old.slice();
    other[64] = (old[64] as number) ^ 1;
    // One place: its 17 bits are all 0, of which the last is in a byte of its own.
    const delta = diff(old, other);
    expect([...delta.subarray(32 + 64)]).toEqual([0, 0, 0]);
    expect(patch(old, delta)).toEqual(other);
    const longer = (byte: number): Uint8Array => Uint8Array.of(...delta, byte);
    const spare = [1, 2, 3, 4, 5, 6, 7].map((bit) => delta.with(delta.length - 1, 1 << bit));
    for (const damaged of [...spare, longer(0), longer(1)]) {
      expect(() => patch(old, damaged)).toThrow(/^delta must be what diff made: bytes follow its places$/);
    }
  });

  it('is refused if a place of it is after the last bit', () => {
    const delta = diff(old, next);
    const bits = 8 * (old.length - 64);
    for (const [place, isThere] of [
      [bits - 1, true],
      [bits, false],
    ] as const) {
      const writer = new PlaceWriter(delta[5] as number);
      writer.push(place);
      const made = Uint8Array.of(...delta.subarray(0, 8), 1, 0, ...delta.subarray(10, 96), ...writer.bytes);
      if (isThere) expect(patch(old, made).at(-1)).toBe((old.at(-1) as number) ^ 0x80);
      else expect(() => patch(old, made)).toThrow(/its places end too early, or are outside of the filter$/);
    }
    // Of no places, any number of low bits will do.
    expect(patch(old, diff(old, old).with(5, 31))).toEqual(old);
  });

  it('is refused if a field of it is another one', () => {
    const delta = diff(old, next);
    const reasons: [at: number, byte: number, reason: RegExp][] = [
      [3, 0x59, /it does not begin with BLMD$/],
      [4, 2, /its version is 2$/],
      [5, 32, /a field is out of range$/],
      [6, 1, /a field is out of range$/],
      [24, 1, /a field is out of range$/],
      [31, 1, /a field is out of range$/],
      [32 + 8, 0xff, /its head is another one$/],
      [8, (delta[8] as number) + 1, /its places end too early, or are outside of the filter$/],
      [8, (delta[8] as number) - 1, /bytes follow its places$/],
    ];
    for (const [at, byte, reason] of reasons) expect(() => patch(old, delta.with(at, byte))).toThrow(reason);
    expect(() => patch(old, delta.subarray(0, 95))).toThrow(/it has 95 bytes$/);
    // A head of 128 bytes.
    const around = new TombstoneFilter(new BloomFilter({ capacity: 9 })).toBytes();
    expect(() => patch(around, diff(around, around).subarray(0, 159))).toThrow(/its head is another one$/);
    expect(() => patch(old, 7 as never)).toThrow(TypeError);
  });
});

it('places are read as they were written, however far apart', () => {
  // Of filters beyond half a GB, too: no more low bits can be written.
  expect([lowBitsFor(0, 2 ** 40), lowBitsFor(3, 2 ** 40), lowBitsFor(9, 9), lowBitsFor(9, 700)]).toEqual([
    31, 31, 0, 6,
  ]);
  const places = fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 33 }), { maxLength: 50 });
  const property = fc.property(places, fc.integer({ min: 24, max: 31 }), (given, lowBits) => {
    const wanted = given.toSorted((one, other) => one - other);
    const writer = new PlaceWriter(lowBits);
    for (const place of wanted) writer.push(place);
    const reader = new PlaceReader(writer.bytes, lowBits);
    expect(wanted.map(() => reader.read())).toEqual(wanted);
    expect(reader.isAtEnd).toBe(true);
  });
  fc.assert(property, { seed: 1 });
});
