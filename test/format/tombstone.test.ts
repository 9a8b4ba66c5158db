// Files of tombstone filters: the hashes of the removed keys, and the file of the base.

import { describe, expect, it } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { BinaryFuseFilter as JsFuse } from '../../src/entries/js/fuse.ts';
import { type LoadableClass, loadAny } from '../../src/entries/load.ts';
import { ScalableBloomFilter } from '../../src/entries/scalable.ts';
import { TombstoneFilter as Filter } from '../../src/entries/tombstone.ts';
import { BloomFilter, load, SavedFilterError } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/region.ts';
import { integersFrom } from '../shared/integers.ts';
import { type AnyClass, kinds, underSecret } from '../shared/kinds.ts';
import { watched } from '../shared/open.ts';
import { Tombstones } from '../shared/oracle-layers.ts';
import { concat } from '../shared/stream-tools.ts';
import { goldenFiles, goldenKeys, readGolden } from './golden.ts';
import {
  type Change,
  expectDamageRefused,
  expectFileRefused,
  expectNoAllocation,
  type ReadClass,
  u8,
  u32,
  u64,
} from './refusal.ts';
import { asynchronous, checksumOf, errorOf, forge, keysOf, MIB, splitAt, viewOf } from './saved.ts';

const BODY_AT = 128;
const [CELL_BITS, SEED, HASHES, CELLS, CAPACITY, BODY, SEGMENTS, LENGTH, BASE] = [
  7, 8, 12, 16, 24, 40, 44, 48, 64,
] as const;

/** The lengths of the two segments, as the file says. */
function lengthsIn(file: Uint8Array): number[] {
  const base = Number(viewOf(file).getBigUint64(BASE, true));
  return [Math.max(0, file.length - BODY_AT - base), base];
}

/** A copy of a file with a change and a matching checksum. */
function forgeOne(file: Uint8Array, change: Change, lengths = lengthsIn(file)): Uint8Array {
  return forge(file, change, BODY_AT, lengths);
}

/** A copy of a file with another base. */
function withBase(file: Uint8Array, base: Uint8Array): Uint8Array {
  const [entries = 0] = lengthsIn(file);
  const changed = concat([file.subarray(0, BODY_AT + entries), base]);
  return forgeOne(
    changed,
    (view) => {
      view.setBigUint64(LENGTH, BigInt(entries + base.length), true);
      view.setBigUint64(BASE, BigInt(base.length), true);
    },
    [entries, base.length],
  );
}

const bases = [BloomFilter, BinaryFuseFilter, CuckooFilter, ScalableBloomFilter] as readonly LoadableClass[];
/** A class whose files are read without more arguments. */
function reading(Class: object): ReadClass {
  class Reading extends (Class as LooseClass) {
    static override fromBytes(bytes: Uint8Array): unknown {
      return super.fromBytes(bytes, bases);
    }

    static override fromChunks(chunks: Iterable<Uint8Array>): unknown {
      return super.fromChunks(chunks, bases);
    }
  }
  return Reading;
}

/** The class of tombstone filters, with looser types. */
interface LooseClass {
  new (...options: never[]): object;
  readonly engine: Engine;
  fromBytes(bytes: Uint8Array, classes: readonly LoadableClass[]): unknown;
  fromChunks(chunks: Iterable<Uint8Array>, classes: readonly LoadableClass[]): unknown;
}

const golden = goldenFiles.filter(({ kind }) => kind === 'tombstone');

describe('a saved tombstone filter', () => {
  const Read = reading(Filter);
  const base = BloomFilter.from(keysOf(400), { seed: 5 });
  const filter = new Filter(base).removeMany(keysOf(5));
  const saved = filter.toBytes();
  const refuse = (what: string, saying: RegExp, change: Change, lengths?: number[]) =>
    expectFileRefused(Read, forgeOne(saved, change, lengths), what, saying);

  it('has the fields of the specification, and the file of its base', () => {
    const view = viewOf(saved);
    const own = base.toBytes();
    expect([...saved.subarray(0, 8)]).toEqual([...Buffer.from('BLMY'), 1, 11, 1, 128]);
    expect([SEED, HASHES, BODY, SEGMENTS].map((at) => view.getUint32(at, true))).toEqual([5, 1, BODY_AT, 2]);
    expect(view.getBigUint64(CELLS, true)).toBe(5n);
    expect(saved.subarray(CAPACITY, BODY).some(Boolean)).toBe(false);
    expect(view.getBigUint64(LENGTH, true)).toBe(BigInt(128 + own.length));
    expect(view.getBigUint64(BASE, true)).toBe(BigInt(own.length));
    expect(saved.subarray(72, BODY_AT).some(Boolean)).toBe(false);
    expect(view.getBigUint64(56, true)).toBe(checksumOf(saved, BODY_AT, [128, own.length]));
    const oracle = new Tombstones(5);
    for (const key of keysOf(5)) oracle.add(key);
    expect(saved.subarray(BODY_AT, BODY_AT + 80)).toEqual(oracle.bytes());
    expect(saved.subarray(BODY_AT + 80, BODY_AT + 128).some(Boolean)).toBe(false);
    expect(saved.subarray(BODY_AT + 128)).toEqual(own);
  });

  it.each(golden)('of an earlier version can be read, and is made again: $file', (row) => {
    const bytes = readGolden(row);
    const keys = goldenKeys(row);
    const read = Filter.fromBytes(bytes, bases);
    expect(read.omit(keys)).toEqual(keys.slice(0, row.removed ?? 0));
    expect(read).toMatchObject({ removedCount: row.cells, seed: row.seed });
    expect(read.toBytes()).toEqual(bytes);
    expect(viewOf(bytes).getBigUint64(56, true)).toBe(checksumOf(bytes, BODY_AT, lengthsIn(bytes)));
  });

  it.each(kinds.filter(({ bases: own }) => own.length === 0))(
    'holds a base of any kind and engine: $name',
    async (row) => {
      const Around = row.isKeyed ? (underSecret(Filter as object as AnyClass) as object as typeof Filter) : Filter;
      const made = new Around(row.Filter.from(keysOf(300))).removeMany(keysOf(20));
      const file = made.toBytes();
      expect(concat(made.toChunks())).toEqual(file);
      // Those that were removed, and what a base has forgotten.
      const absent = made.omit(keysOf(300));
      expect(absent.slice(0, 20)).toEqual(keysOf(20));
      for (const Class of [row.Filter, row.Twin]) {
        const own = Class as object as LoadableClass;
        const parts = splitAt(file, [1, 64, 100, 128, 129, 400, 448, 449, 600]);
        for (const read of [
          Around.fromBytes(file, [own, BloomFilter]),
          Around.fromChunks(parts, [own]),
          await Around.fromChunks(asynchronous(parts), [own]),
          loadAny([own, Around, BloomFilter], file),
          loadAny([own, Around], parts),
          made.clone(),
        ]) {
          const isLoaded = read instanceof Around;
          expect(isLoaded && read.base.kind).toBe(row.kind);
          expect(read.omit(keysOf(300))).toEqual(absent);
          expect(read.toBytes()).toEqual(file);
          read.dispose();
        }
      }
    },
  );

  it('of more than a piece is saved in chunks, unless it changes', () => {
    const keys = integersFrom(0, 100_000);
    const large = new ScalableBloomFilter({ capacity: 20_000, errorRate: 1e-15 }).addMany(keys);
    const made = new Filter(large).removeMany(keys.subarray(0, 70_000));
    const file = made.toBytes();
    expect(viewOf(file).getBigUint64(56, true)).toBe(checksumOf(file, BODY_AT, lengthsIn(file)));
    expect(Array.from(made.toChunks(), ({ length }) => length).every((length) => length <= MIB)).toBe(true);
    const read = Filter.fromChunks(made.toChunks(), [ScalableBloomFilter]);
    expect(read.hasMany(keys)).toEqual(Uint8Array.from(keys, (key) => Number(key >= 70_000)));
    const CHANGED = 'the filter changed while it was saved';
    const changes: readonly [change: (filter: typeof made) => unknown, message: string | undefined][] = [
      // The removed keys are copied at the first chunk.
      [(each) => each.remove(99_999), undefined],
      [(each) => (each.base as ScalableBloomFilter).clear(), CHANGED],
      [(each) => each.addMany(keys.map((key) => key + 1_000_000)), CHANGED],
      [(each) => each.dispose(), 'after dispose()'],
    ];
    for (const [change, message] of changes) {
      const copy = made.clone();
      const chunks = copy.toChunks();
      const first = chunks.next().value as Uint8Array;
      change(copy);
      if (message === undefined) expect(concat([first, ...chunks])).toEqual(file);
      else expect(() => concat(chunks)).toThrow(message);
    }
    const few = new Filter(large).removeMany(keys.subarray(0, 4));
    const file4 = few.toBytes();
    const chunks4 = few.toChunks();
    const first4 = chunks4.next().value as Uint8Array;
    // The table of the removed keys grows.
    few.remove(99_999);
    expect(concat([first4, ...chunks4])).toEqual(file4);
    const late = made.clone();
    const chunks = late.toChunks();
    late.remove(99_999);
    expect(concat(chunks)).toEqual(late.toBytes());
  });

  it('is refused with any bit flipped, any number of bytes cut off, and with bytes added', () => {
    const small = new Filter(BloomFilter.from(keysOf(3))).removeMany(keysOf(2)).toBytes();
    expectDamageRefused(Read, small);
  });

  it('is refused with a head that does not fit', () => {
    const length = base.toBytes().length;
    for (const bits of [0, 64, 127, 129, 255]) refuse('cell bits', /bits per cell/, u8(CELL_BITS, bits));
    for (const hashes of [0, 2, 255]) refuse('hashes', /hashes/, u32(HASHES, hashes));
    for (const segments of [0, 3, 64]) refuse('segments', /segments/, u32(SEGMENTS, segments));
    for (const at of [64, 192]) refuse('body offset', /body offset/, u32(BODY, at));
    for (const cells of [9n, 2n ** 32n, 2n ** 33n, 2n ** 53n, 2n ** 64n - 1n])
      refuse('cells', /body length|size|cells/, u64(CELLS, cells));
    for (const each of [0n, 63n, 2n ** 53n, 2n ** 64n - 1n])
      refuse('base length', /length of its base/, u64(BASE, each));
    for (const each of [64n, BigInt(length + 64)]) refuse('base length', /body length/, u64(BASE, each));
    refuse('capacity', /size/, (view) => {
      view.setBigUint64(CAPACITY, 40n, true);
      view.setFloat64(CAPACITY + 8, 0.01, true);
    });
    refuse('padding', /between its parameters and its body/, u8(72, 1));
    refuse('seed', /seed of base must be 6, got 5/, u32(SEED, 6));
    // Another boundary between the segments, of the same sum.
    refuse(
      'moved',
      /cannot be loaded/,
      (view) => {
        view.setBigUint64(CELLS, 9n, true);
        view.setBigUint64(BASE, BigInt(length - 64), true);
      },
      [192, length - 64],
    );
  });

  it('is refused unless its entries ascend, with zeros behind them', () => {
    const swap =
      (one: number, other: number): Change =>
      (view) => {
        const bytes = new Uint8Array(view.buffer, view.byteOffset + BODY_AT);
        const copy = bytes.slice(16 * one, 16 * one + 16);
        bytes.copyWithin(16 * one, 16 * other, 16 * other + 16);
        bytes.set(copy, 16 * other);
      };
    for (const i of [0, 1, 2, 3])
      refuse(`swapped ${i}`, new RegExp(`its entry ${i + 1} is not greater`), swap(i, i + 1));
    refuse('equal', /its entry 3 is not greater/, (view) => {
      new Uint8Array(view.buffer, view.byteOffset + BODY_AT).copyWithin(48, 32, 48);
    });
    refuse('equal but for h2', /its entry 1 is not greater/, (view) => {
      view.setBigUint64(BODY_AT, view.getBigUint64(BODY_AT + 16, true), true);
      view.setBigUint64(BODY_AT + 8, 2n ** 64n - 1n, true);
    });
    for (const at of [80, 127])
      refuse('padding', /its padding bytes are not zero/, (view) => view.setUint8(BODY_AT + at, 1));
    const fewer = forgeOne(saved, (view) => {
      new Uint8Array(view.buffer, view.byteOffset + BODY_AT).fill(0, 64, 80);
      view.setBigUint64(CELLS, 4n, true);
      // The 64 bytes that are too many now.
    });
    expectFileRefused(Read, fewer, 'fewer', /body length/);
  });

  it('is refused with a base that cannot be loaded', () => {
    const own = base.toBytes();
    const wrong: readonly [what: string, base: Uint8Array, saying: RegExp, code: string][] = [
      ['damaged', own.with(150, (own[150] ?? 0) ^ 1), /its base cannot be loaded: its checksum is wrong/, 'DAMAGED'],
      ['cut', own.subarray(0, -1), /its base cannot be loaded: it has \d+ of \d+ bytes/, 'DAMAGED'],
      [
        'longer',
        concat([own, new Uint8Array(1)]),
        /its base cannot be loaded: it has \d+ of \d+ bytes|bytes follow/,
        'DAMAGED',
      ],
      ['no filter', new Uint8Array(own.length), /its base cannot be loaded: they do not begin with BLMY/, 'DAMAGED'],
      ['of a later version', own.with(4, 2), /its base cannot be loaded: its version is 2/, 'VERSION'],
      ['of an unknown kind', own.with(5, 200), /its base cannot be loaded: its kind is 200/, 'VERSION'],
      ['nested', saved, /its base cannot be loaded: it is a tombstone filter itself/, 'DAMAGED'],
    ];
    for (const [what, bytes, saying, code] of wrong) {
      const file = withBase(saved, bytes);
      expectFileRefused(Read, file, what, saying);
      expect((errorOf(() => Read.fromBytes(file)) as SavedFilterError).code).toBe(code);
    }
    expect(Filter.fromBytes(withBase(saved, own), bases).toBytes()).toEqual(saved);
  });

  it('is refused with too large a claim, with almost no memory allocated for it', () => {
    for (const cells of [2 ** 20, 2 ** 28]) {
      const head = forgeOne(saved, (view) => {
        view.setBigUint64(CELLS, BigInt(cells), true);
        view.setBigUint64(LENGTH, BigInt(16 * cells + base.toBytes().length), true);
      });
      expectNoAllocation(Read, head);
    }
    for (const length of [2 ** 46, 2 ** 52]) {
      const head = forgeOne(saved, (view) => {
        view.setBigUint64(BASE, BigInt(length), true);
        view.setBigUint64(LENGTH, BigInt(length), true);
      });
      expectNoAllocation(Read, head);
    }
    const sizes: number[] = [];
    const reserve: Engine['reserve'] = (byteLength, grows) => {
      const region = BloomFilter.engine.reserve(byteLength, grows);
      sizes.push(region.instance.memory.buffer.byteLength);
      return region;
    };
    class Base extends BloomFilter {
      static override readonly engine = { ...BloomFilter.engine, reserve } as typeof BloomFilter.engine;
    }
    // The header of the base claims 256 MiB.
    const own = BloomFilter.from(keysOf(9)).toBytes();
    viewOf(own).setBigUint64(16, 2n ** 31n, true);
    viewOf(own).setBigUint64(48, 2n ** 28n, true);
    const file = withBase(new Filter(BloomFilter.from(keysOf(9))).toBytes(), own);
    expect(() => Filter.fromBytes(file, [Base])).toThrow(/its base cannot be loaded: it has \d+ of \d+ bytes/);
    expect(sizes).toEqual([]);
    expect(() => Filter.fromChunks([file], [Base])).toThrow(/its base cannot be loaded: it has \d+ of \d+ bytes/);
    expect(Math.max(0, ...sizes)).toBeLessThan(2 * MIB);
  });

  it('gives back the memory of a base if the rest is refused', () => {
    const { engine, regions } = watched(BloomFilter.engine);
    class Base extends BloomFilter {
      static override readonly engine = engine as typeof BloomFilter.engine;
    }
    const file = forgeOne(saved, (view) => view.setUint8(BODY_AT + 100, 1));
    expect(() => Filter.fromBytes(file, [Base])).toThrow(/its padding bytes are not zero/);
    expect(() => Filter.fromChunks([saved.subarray(0, -1)], [Base])).toThrow(/bytes/);
    expect(() => Filter.fromBytes(saved.with(saved.length - 1, 77), [Base])).toThrow(/checksum/);
    expect(regions.length).toBeGreaterThan(0);
    expect(regions.every(({ disposed }) => disposed)).toBe(true);
  });

  it('gives back all its memory once it is disposed of', () => {
    const { engine, regions } = watched(Filter.engine);
    class Watched extends Filter {
      static override readonly engine = engine as typeof Filter.engine;
    }
    for (const read of [Watched.fromBytes(saved, bases), Watched.fromChunks([saved], bases)]) read.dispose();
    // The entries of the file, and the set that is made of them.
    expect(regions.map(({ disposed }) => disposed)).toEqual([true, true, true, true]);
  });

  it('is loaded piece by piece with a large base, and gives its memory back if the rest is refused', () => {
    const { engine, regions } = watched(BloomFilter.engine);
    class Base extends BloomFilter {
      static override readonly engine = engine as typeof BloomFilter.engine;
    }
    const large = new BloomFilter({ bits: 20 * MIB + 1, hashes: 3 }).addMany(keysOf(400));
    const file = new Filter(large).removeMany(keysOf(5)).toBytes();
    const start = file.length - large.toBytes().length;
    const parts = splitAt(file, [start + 7, start + MIB, start + 2 * MIB - 1, start + 2 * MIB + 1]);
    expect(Buffer.compare(Filter.fromChunks(parts, [BloomFilter]).toBytes(), file)).toBe(0);
    expect(() => Filter.fromChunks([file.subarray(0, -1)], [Base])).toThrow(/bytes/);
    expect(() => Filter.fromBytes(file.with(file.length - 1, 77), [Base])).toThrow(/checksum/);
    expect(regions.length).toBeGreaterThan(1);
    expect(regions.every(({ disposed }) => disposed)).toBe(true);
  });

  it('names the class that is missing', () => {
    const missing = (call: () => unknown): string => {
      const error = errorOf(call) as SavedFilterError;
      expect([error.code, error instanceof SavedFilterError]).toEqual(['KIND', true]);
      return error.reason;
    };
    const around = new Filter(BinaryFuseFilter.from(['a'])).toBytes();
    const none = `its base cannot be loaded: it is a fuse filter, and`;
    expect(missing(() => Filter.fromBytes(around, [BloomFilter]))).toBe(
      `${none} none of BloomFilter: import its class from 'bloomery/fuse', and give it to the classes of its base`,
    );
    expect(missing(() => loadAny([Filter], around))).toBe(
      `${none} its class was not given: import its class from 'bloomery/fuse', and give it to loadAny of 'bloomery/load'`,
    );
    expect(missing(() => load(saved))).toContain("import its class from 'bloomery/tombstone', and give it to loadAny");
    expect(missing(() => loadAny([JsFuse], saved))).toContain("'bloomery/tombstone/js'");
    expect(missing(() => Filter.fromBytes(base.toBytes(), [BloomFilter]))).toContain('not a tombstone one');
    for (const wrong of [undefined, [], [7]]) {
      expect(() => Filter.fromBytes(saved, wrong as never)).toThrow(TypeError);
      expect(() => Filter.fromChunks([saved], wrong as never)).toThrow(/^classes/);
    }
  });

  it('is loaded in little time, whatever its entries', () => {
    const count = 2 ** 18;
    const entries = new BigUint64Array(2 * count);
    // Equal but for 18 bits of h1, which are not its highest ones.
    for (let i = 0; i < count; i++) entries.set([BigInt(i) << 20n, 7n], 2 * i);
    const own = base.toBytes();
    const file = concat([saved.subarray(0, BODY_AT), new Uint8Array(entries.buffer), own]);
    const forged = forgeOne(file, (view) => {
      view.setBigUint64(CELLS, BigInt(count), true);
      view.setBigUint64(LENGTH, BigInt(16 * count + own.length), true);
    });
    const read = Filter.fromBytes(forged, bases);
    expect(read.removedCount).toBe(count);
    expect(read.toBytes()).toEqual(forged);
  });
});
