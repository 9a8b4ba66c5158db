// Files of tombstone filters: the hashes of the removed keys, and the file of the base.

import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { BinaryFuseFilter as JsFuse } from '../../src/entries/js/fuse.ts';
import { type LoadableClass, loadAny } from '../../src/entries/load.ts';
import { ScalableBloomFilter } from '../../src/entries/scalable.ts';
import { TombstoneFilter as Filter } from '../../src/entries/tombstone.ts';
import { BloomFilter, load, type SavedFilterError } from '../../src/index.ts';
import { integersFrom } from '../shared/integers.ts';
import { type AnyClass, kinds } from '../shared/kinds.ts';
import { classOn, watched } from '../shared/open.ts';
import { concat } from '../shared/stream-tools.ts';
import { around, type WrapperClass } from '../shared/wrapped.ts';
import { all, type Change, expectNoAllocation, expectRefused, f64, measured, setBit, u8, u32, u64 } from './refusal.ts';
import { asynchronous, errorOf, forge, keysOf, layoutOf, MIB, splitAt, viewOf } from './saved.ts';

const BODY_AT = 128;
const [CELL_BITS, SEED, HASHES, CELLS, CAPACITY, BODY, SEGMENTS, LENGTH, BASE] = [
  7, 8, 12, 16, 24, 40, 44, 48, 64,
] as const;

/** A copy of a file with another base. */
function withBase(file: Uint8Array, base: Uint8Array): Uint8Array {
  const [, [tombstones = 0]] = layoutOf(file);
  const lengths = all(u64(LENGTH, BigInt(tombstones + base.length)), u64(BASE, BigInt(base.length)));
  return forge(concat([file.subarray(0, BODY_AT + tombstones), base]), lengths, [BODY_AT, [tombstones, base.length]]);
}

/** A class whose files are read without more arguments. */
const Read = around(Filter as object as WrapperClass, BloomFilter as object as AnyClass);

describe('a saved tombstone filter', () => {
  const base = BloomFilter.from(keysOf(400), { seed: 5 });
  const own = base.toBytes();
  const saved = new Filter(base).removeMany(keysOf(5)).toBytes();

  it.each(kinds.filter((kind) => kind.bases.length === 0))('holds a base of any kind: $kind', async (row) => {
    const made = new Filter(row.Filter.from(keysOf(300))).removeMany(keysOf(20));
    const file = made.toBytes();
    // Those that were removed, and what a base has forgotten.
    const absent = made.omit(keysOf(300));
    expect(absent.slice(0, 20)).toEqual(keysOf(20));
    expect(file.subarray(-made.base.toBytes().length)).toEqual(made.base.toBytes());
    const Base = row.Filter as object as LoadableClass;
    const parts = splitAt(file, [1, 64, 100, 128, 129, 400, 448, 449, 600]);
    for (const read of [
      Filter.fromBytes(file, [Base, BloomFilter]),
      Filter.fromChunks(parts, [row.Twin as object as LoadableClass]),
      await Filter.fromChunks(asynchronous(parts), [Base]),
      loadAny([Base, Filter, BloomFilter], file),
      loadAny([Base, Filter], parts),
    ]) {
      expect(read).toBeInstanceOf(Filter);
      expect((read as Filter).base.kind).toBe(row.kind);
      expect(read.omit(keysOf(300))).toEqual(absent);
      expect(read.toBytes()).toEqual(file);
    }
  });

  it('of several parts is saved in chunks, unless it changes', () => {
    const keys = integersFrom(0, 100_000);
    const large = new ScalableBloomFilter({ capacity: 20_000, errorRate: 1e-15 }).addMany(keys);
    const made = new Filter(large).removeMany(keys.subarray(0, 70_000));
    const file = made.toBytes();
    expect(Array.from(made.toChunks(), ({ length }) => length).every((length) => length <= MIB)).toBe(true);
    const read = Filter.fromChunks(made.toChunks(), [ScalableBloomFilter]);
    expect(read.hasMany(keys)).toEqual(Uint8Array.from(keys, (key) => Number(key >= 70_000)));
    const few = new Filter(large).removeMany(keys.subarray(0, 4));
    const CHANGED = 'the filter changed while it was saved';
    for (const [filter, change, message] of [
      // The removed keys are copied at the first chunk, also where their table grows.
      [made, (each) => each.remove(99_999), undefined],
      [few, (each) => each.remove(99_999), undefined],
      [made, (each) => (each.base as ScalableBloomFilter).clear(), CHANGED],
      [made, (each) => each.addMany(keys.map((key) => key + 1_000_000)), CHANGED],
      [made, (each) => each.dispose(), 'after dispose()'],
    ] as [Filter, (filter: Filter) => unknown, string | undefined][]) {
      const copy = filter.clone();
      const chunks = copy.toChunks();
      const first = chunks.next().value as Uint8Array;
      change(copy);
      if (message === undefined) expect(concat([first, ...chunks])).toEqual(filter.toBytes());
      else expect(() => concat(chunks)).toThrow(message);
    }
    const late = made.clone();
    const chunks = late.toChunks();
    late.remove(99_999);
    expect(concat(chunks)).toEqual(late.toBytes());
    expect(late.toBytes()).not.toEqual(file);
  });

  const length = BigInt(own.length);
  it.each<[what: string, saying: RegExp, changes: Change[]]>([
    ['bits per cell', /bits per cell is \d+$/, [0, 64, 127, 129].map((bits) => u8(CELL_BITS, bits))],
    ['hashes', /hashes/, [0, 2, 255].map((hashes) => u32(HASHES, hashes))],
    ['segments', /segments|body offset|body length/, [0, 1, 3, 64].map((segments) => u32(SEGMENTS, segments))],
    ['body offset', /body offset is \d+$/, [64, 192].map((at) => u32(BODY, at))],
    ['tombstones', /body length|size|cells/, [9n, 2n ** 32n, 2n ** 33n, 2n ** 53n].map((cells) => u64(CELLS, cells))],
    ['length of the base', /length of its base/, [0n, 63n, 2n ** 53n, 2n ** 64n - 1n].map((bytes) => u64(BASE, bytes))],
    ['length that is not that of the base', /body length/, [64n, length + 64n].map((bytes) => u64(BASE, bytes))],
    ['capacity', /size is 5 tombstones/, [all(u64(CAPACITY, 40n), f64(CAPACITY + 8, 0.01))]],
    ['padding', /between its parameters and its body/, [u8(72, 1)]],
    ['seed', /seed of base must be 6, got 5/, [u32(SEED, 6)]],
    ['padding of the tombstones', /its padding bytes are not zero/, [80, 127].map((at) => u8(BODY_AT + at, 1))],
  ])('is refused with another %s', (what, saying, changes) => {
    for (const [i, change] of changes.entries()) expectRefused(Read, forge(saved, change), saying, `${what} ${i}`);
  });

  it('is refused with another boundary between its segments, of the same sum', () => {
    const moved = all(u64(CELLS, 9n), u64(BASE, length - 64n));
    expectRefused(Read, forge(saved, moved, [BODY_AT, [192, own.length - 64]]), /cannot be loaded/);
  });

  it('is refused unless its tombstones ascend', () => {
    const tombstone = (i: number): number => BODY_AT + 16 * i;
    for (const i of [0, 1, 2, 3]) {
      const swapped = forge(saved, (view) => {
        const bytes = new Uint8Array(view.buffer);
        const copy = bytes.slice(tombstone(i), tombstone(i + 1));
        bytes.copyWithin(tombstone(i), tombstone(i + 1), tombstone(i + 2));
        bytes.set(copy, tombstone(i + 1));
      });
      expectRefused(Read, swapped, new RegExp(`its tombstone ${i + 1} is not greater`));
    }
    const equal: Change = (view) => new Uint8Array(view.buffer).copyWithin(tombstone(3), tombstone(2), tombstone(3));
    expectRefused(Read, forge(saved, equal), /its tombstone 3 is not greater/);
    // h1 is equal, and h2 is less.
    const h1: Change = (view) => u64(tombstone(0), view.getBigUint64(tombstone(1), true))(view);
    expectRefused(Read, forge(saved, all(h1, u64(tombstone(0) + 8, 2n ** 64n - 1n))), /its tombstone 1 is not greater/);
  });

  it.each<[what: string, base: Uint8Array, saying: RegExp, code: string]>([
    ['damaged', own.with(150, (own[150] ?? 0) ^ 1), /its checksum is wrong/, 'DAMAGED'],
    ['cut', own.subarray(0, -1), /it has \d+ of \d+ bytes/, 'DAMAGED'],
    ['longer', concat([own, new Uint8Array(1)]), /it has \d+ of \d+ bytes|bytes follow/, 'DAMAGED'],
    ['no filter', new Uint8Array(own.length), /they do not begin with BLMY/, 'DAMAGED'],
    ['of a later version', own.with(4, 2), /its version is 2/, 'VERSION'],
    ['of an unknown kind', own.with(5, 200), /its kind is 200/, 'VERSION'],
    ['nested', saved, /it is a tombstone filter itself/, 'DAMAGED'],
  ])('is refused with a base that is %s', (_, bytes, saying, code) => {
    const file = withBase(saved, bytes);
    expectRefused(Read, file, new RegExp(`its base cannot be loaded: (${saying.source})`));
    expect(errorOf(() => Read.fromBytes(file))).toMatchObject({ code });
  });

  it('takes almost no memory, whatever size it or its base states', () => {
    for (const cells of [2n ** 20n, 2n ** 28n]) {
      const claim = all(u64(CELLS, cells), u64(LENGTH, 16n * cells + length));
      expectNoAllocation(Read, forge(saved, claim));
    }
    for (const bytes of [2n ** 46n, 2n ** 52n]) {
      expectNoAllocation(Read, forge(saved, all(u64(BASE, bytes), u64(LENGTH, bytes))));
    }
    // The header of the base claims 256 MiB.
    const large = own.slice();
    all(u64(16, 2n ** 31n), u64(48, 2n ** 28n))(viewOf(large));
    const { engine, regions, most } = measured(BloomFilter.engine);
    const Base = classOn(BloomFilter, engine);
    const file = withBase(saved, large);
    const wrong = /its base cannot be loaded: it has \d+ of \d+ bytes/;
    expect(() => Filter.fromBytes(file, [Base])).toThrow(wrong);
    expect(regions).toEqual([]);
    expect(() => Filter.fromChunks([file], [Base])).toThrow(wrong);
    expect(most()).toBeLessThan(2 * MIB);
  });

  it('is refused if two of its tombstones cannot be told apart by 96 bits', () => {
    const hash = (i: number, h1: bigint, h2: bigint): Change =>
      all(u64(BODY_AT + 16 * i, h1), u64(BODY_AT + 16 * i + 8, h2));
    const agree = (...words: bigint[]): Uint8Array => forge(saved, all(...words.map((h2, i) => hash(i, 0n, h2))));
    const high = 2n ** 32n;
    expectRefused(Read, agree(3n, high + 2n, 2n * high + 3n), /two of its tombstones have the same first 96 bits/);
    // Zeros in the first 96 bits count as 1.
    expectRefused(Read, agree(0n, 1n), /its tombstone 1 is not greater/);
    expectRefused(Read, agree(1n), /its tombstone 0 is not greater/);
    expectRefused(Read, agree(0n, high), /two of its tombstones have the same first 96 bits/);
    const read = Filter.fromBytes(agree(0n, 2n, high + 3n), [BloomFilter]);
    expect(read.toBytes()).toEqual(agree(0n, 2n, high + 3n));
  });

  it('gives all memory back, also that of a base, small or large, if the rest is refused', () => {
    const [ofBase, ofOwn] = [watched(BloomFilter.engine), watched(Filter.engine)];
    const [Base, Own] = [classOn(BloomFilter, ofBase.engine), classOn(Filter, ofOwn.engine)];
    const large = new BloomFilter({ bits: 20 * MIB + 1, hashes: 3 }).addMany(keysOf(400));
    for (const filter of [base, large]) {
      const file = new Filter(filter).removeMany(keysOf(5)).toBytes();
      const start = file.length - filter.toBytes().length;
      const parts = splitAt(file, [start + 7, start + MIB, start + 2 * MIB - 1, start + 2 * MIB + 1]);
      const wrong = forge(file, setBit(8 * (BODY_AT + 100)));
      expect(() => Own.fromBytes(wrong, [Base])).toThrow(/its padding bytes are not zero/);
      expect(() => Own.fromChunks([file.subarray(0, -1)], [Base])).toThrow(/bytes/);
      expect(() => Own.fromBytes(file.with(file.length - 1, 77), [Base])).toThrow(/checksum/);
      for (const read of [Own.fromBytes(file, [Base]), Own.fromChunks(parts, [Base])]) {
        expect(Buffer.compare(read.toBytes(), file)).toBe(0);
        read.dispose();
      }
    }
    for (const { regions } of [ofBase, ofOwn]) {
      expect(regions.length).toBeGreaterThan(5);
      expect(regions.every(({ disposed }) => disposed)).toBe(true);
    }
  });

  it('names the class that is missing', () => {
    const missing = (call: () => unknown): string => {
      const error = errorOf(call) as SavedFilterError;
      expect([error.name, error.code]).toEqual(['SavedFilterError', 'KIND']);
      expect(error.reason).toContain(`it is a ${error.kind} filter`);
      return error.reason;
    };
    const fuse = new Filter(BinaryFuseFilter.from(['a'])).toBytes();
    const none = `its base cannot be loaded: it is a fuse filter, and`;
    const hint = `import its class from 'bloomery/fuse', and give it to`;
    const [other, notGiven] = [`${none} none of BloomFilter: ${hint}`, `${none} its class was not given: ${hint}`];
    expect(missing(() => Filter.fromBytes(fuse, [BloomFilter]))).toBe(`${other} the classes of its base`);
    expect(missing(() => loadAny([Filter], fuse))).toBe(`${notGiven} loadAny of 'bloomery/load'`);
    expect(missing(() => load(saved))).toContain("import its class from 'bloomery/tombstone', and give it to loadAny");
    expect(missing(() => loadAny([JsFuse], saved))).toContain("'bloomery/tombstone/js'");
    expect(missing(() => Filter.fromBytes(own, [BloomFilter]))).toContain('not a tombstone one');
    for (const wrong of [undefined, [], [7]]) {
      expect(() => Filter.fromBytes(saved, wrong as never)).toThrow(TypeError);
      expect(() => Filter.fromChunks([saved], wrong as never)).toThrow(/^classes/);
    }
  });

  it('is loaded in little time, whatever its tombstones', () => {
    const count = 2 ** 18;
    const tombstones = new BigUint64Array(2 * count);
    // Equal but for 18 bits of h1, which are not its highest ones.
    for (let i = 0; i < count; i++) tombstones.set([BigInt(i) << 20n, 7n], 2 * i);
    const file = concat([saved.subarray(0, BODY_AT), new Uint8Array(tombstones.buffer), own]);
    const forged = forge(file, all(u64(CELLS, BigInt(count)), u64(LENGTH, BigInt(16 * count) + length)));
    const read = Filter.fromBytes(forged, [BloomFilter]);
    expect(read.removedCount).toBe(count);
    expect(read.toBytes()).toEqual(forged);
  });
});
