// Files of the kinds that have parameters of their own, behind the header: what is refused, and what is harmless.

import { describe, expect, it } from 'vitest';
import { entryKinds } from '../../tools/entries.ts';
import { type AnyClass, type AnyFilter, kinds } from '../shared/kinds.ts';
import { randomFrom } from '../shared/random.ts';
import { type Golden, goldenFiles, readGolden } from './golden.ts';
import {
  add32,
  add64,
  all,
  type Change,
  expectDamageRefused,
  expectFileRefused,
  expectNoAllocation,
  f64,
  u8,
  u32,
  u64,
} from './refusal.ts';
import { forge, keysOf, REFUSED, viewOf } from './saved.ts';
import { lengthsIn, bodyAt as scalableBodyAt } from './slices.ts';

type Random = (limit: number) => number;
type Refusal = [what: string, saying: RegExp, change: Change];

/** The fields of a header, by their offsets. */
const [CELL_BITS, HASHES, CELLS, CAPACITY, RATE, BODY, SEGMENTS, LENGTH] = [7, 12, 16, 24, 32, 40, 44, 48] as const;

/** What the suites need to know of such a kind. */
interface Row {
  readonly bodyAt: number;
  /** Where the parameters end, and zeros up to the body begin. */
  readonly end: number;
  /** The error for neither a capacity nor an error rate. Left out where a size can be given instead. */
  readonly wrong?: RegExp;
  /** A filter whose file is changed. */
  make(Filter: AnyClass, seed?: number): AnyFilter;
  /** A smaller one. Default: the same. */
  makeSmall?(Filter: AnyClass): AnyFilter;
  /** A file of an earlier version, in which every bit is flipped. Default: that of the filter. */
  readonly flipped?: string;
  readonly refused: readonly Refusal[];
  /** A head that states `cells` cells, with the layout of its body. */
  claim(Filter: AnyClass, cells: number): Parameters<typeof forge>;
  /** Changes a field of a type that only this kind has, or nothing. */
  forgeOwn?(view: DataView, random: Random): boolean;
  /** The byte length of each segment of a file's body. Default: one segment. */
  lengthsIn?(file: Uint8Array): number[];
  /** How many files are forged, and more than how many of them can be read. */
  readonly rounds: number;
  readonly least: number;
  /** Uses a filter that was read from a forged file. */
  use(filter: AnyFilter, random: Random): void;
}

/** The methods that only some of these kinds have. */
interface Endless extends AnyFilter {
  clock: () => number;
  rotate(): void;
}

const slice = (i: number, at = 0): number => 128 + 32 * i + at;
const shard = (i: number, at = 0): number => 64 + 24 * i + at;
const TIMES = [0, -0, 1, 5e-324, 777.5, 1e300, Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY, -1];

const unpromised = all(u64(CAPACITY, 0n), f64(RATE, 0));
const fuseWrong = /its parameters are /;
const shardsWrong = /it has \d+ keys and \d+ cells in its shards$/;
const spatialWrong = /its number of labels is \d+, with \d+ bits per cell$/;
const scalableWrong = /its growth is .+, its tightening .+, or a slice is wrong$/;
const stableWrong = /it has cells of \d bits and \d+ decrements$/;
const between = /between its parameters are set/;

const rows: Readonly<Record<string, Row>> = {
  fuse: {
    bodyAt: 128,
    end: 88,
    wrong: fuseWrong,
    make: (Filter, seed) => Filter.from(keysOf(40), { fingerprintBits: 9, seed }),
    makeSmall: (Filter) => Filter.from(keysOf(1), { fingerprintBits: 1 }),
    refused: [
      ['cells of 0 bits', /bits per cell is 0$/, u8(CELL_BITS, 0)],
      ['cells of 33 bits', /bits per cell is 33$/, u8(CELL_BITS, 33)],
      ['2 hashes', /size is \d+ cells and 2 hashes$/, u32(HASHES, 2)],
      ['segments of 2 cells', fuseWrong, u32(64, 1)],
      ['segments of 2^19 cells', fuseWrong, u32(64, 19)],
      ['an exponent of 2^32 − 1', fuseWrong, u32(64, 2 ** 32 - 1)],
      ['no segments', fuseWrong, u32(68, 0)],
      ['a segment of cells more', fuseWrong, add32(68, 1)],
      ['the 65th attempt', fuseWrong, u32(72, 64)],
      ['a byte between its parameters', fuseWrong, u8(76, 1)],
      ['another number of keys', fuseWrong, u64(80, 41n)],
      ['no keys', fuseWrong, u64(80, 0n)],
      [
        'more keys than cells',
        fuseWrong,
        (view) => {
          for (const at of [CAPACITY, 80]) u64(at, view.getBigUint64(CELLS, true) + 1n)(view);
        },
      ],
      ['another error rate', fuseWrong, f64(RATE, 2 ** -8)],
      ['more cells', REFUSED, add64(CELLS, 1n)],
    ],
    claim(Filter, cells) {
      const head = this.make(Filter).toBytes().subarray(0, 128);
      const sizes = all(
        u64(CELLS, BigInt(cells)),
        u64(LENGTH, BigInt(cells)),
        u32(64, 18),
        u32(68, cells / 2 ** 18 - 2),
      );
      return [head, all(u8(CELL_BITS, 8), f64(RATE, 2 ** -8), sizes), 128];
    },
    rounds: 5000,
    // Those whose seed or attempt was changed, or nothing.
    least: 25,
    use: (filter) => filter.hasMany(keysOf(40)),
  },
  rotating: {
    bodyAt: 128,
    end: 112,
    wrong: fuseWrong,
    make: (Filter, seed) =>
      new Filter({ capacity: 20, errorRate: 0.01, lanes: 3, seed, window: 1000, clock: () => 777.5 }).addMany(
        keysOf(33),
      ),
    refused: [
      ['cells of 2 bits', /bits per cell is 2$/, u8(CELL_BITS, 2)],
      ['7 hashes', /size is \d+ bits and 7 hashes$/, u32(HASHES, 7)],
      ['one lane', fuseWrong, u32(64, 1)],
      ['17 lanes', fuseWrong, u32(64, 17)],
      ['a current lane that it does not have', fuseWrong, u32(68, 3)],
      ['no quota', fuseWrong, u64(72, 0n)],
      ['a quota of more', fuseWrong, u64(72, 11n)],
      ['more keys in a lane than its quota', fuseWrong, u64(80, 11n)],
      ['2^53 rotations', fuseWrong, u64(88, 2n ** 53n)],
      ['a negative window', fuseWrong, f64(96, -1)],
      ['a time without a window', fuseWrong, f64(96, 0)],
      ['a negative time', fuseWrong, f64(104, -1)],
      ['a time that is no number', fuseWrong, f64(104, Number.NaN)],
      ['another capacity', fuseWrong, u64(CAPACITY, 23n)],
      ['one cell more', fuseWrong, add64(CELLS, 1n)],
      ['one block more in each lane', /body length is/, add64(CELLS, 768n)],
      ['too many blocks', fuseWrong, u64(CELLS, 768n * 2n ** 32n)],
    ],
    claim(Filter, cells) {
      const head = new Filter({ capacity: 10, lanes: 2 }).toBytes().subarray(0, 128);
      return [head, all(u64(CELLS, BigInt(cells)), u64(LENGTH, BigInt(cells / 8))), 128, []];
    },
    forgeOwn(view, random) {
      if (random(4) > 0) return false;
      f64(random(2) ? 96 : 104, TIMES[random(TIMES.length)] as number)(view);
      return true;
    },
    rounds: 2000,
    least: 20,
    use(filter, random) {
      const endless = filter as Endless;
      endless.clock = () => random(2000);
      endless.addMany(keysOf(random(60)));
      endless.rotate();
      expect(endless.hasMany(keysOf(20))).toHaveLength(20);
    },
  },
  stable: {
    bodyAt: 128,
    end: 80,
    make: (Filter, seed) => new Filter({ cells: 83, cellBits: 4, hashes: 3, decrements: 20, seed }).addMany(keysOf(33)),
    makeSmall: (Filter) => new Filter({ cells: 1, hashes: 1, decrements: 1 }),
    refused: [
      ['cells of 0 bits', /bits per cell is 0$/, u8(CELL_BITS, 0)],
      ['cells of 3 bits', stableWrong, u8(CELL_BITS, 3)],
      ['cells of 8 bits', /body length is/, u8(CELL_BITS, 8)],
      ['cells of 9 bits', /bits per cell is 9$/, u8(CELL_BITS, 9)],
      ['no hashes', /number of hashes is 0$/, u32(HASHES, 0)],
      ['no decrements', stableWrong, u64(64, 0n)],
      ['more decrements than cells', stableWrong, u64(64, 84n)],
      ['fewer cells than decrements', stableWrong, all(u64(CELLS, 19n), u64(LENGTH, 10n))],
      ['no cells', /number of cells is 0$/, u64(CELLS, 0n)],
      ['more cells', /body length is/, add64(CELLS, 2n)],
      ['bits after the last cell', /its padding bits are not zero/, u8(169, 255)],
    ],
    claim(Filter, cells) {
      const head = new Filter({ cells: 8, cellBits: 8, hashes: 2, decrements: 3 }).toBytes().subarray(0, 128);
      return [head, all(u64(CELLS, BigInt(cells)), u64(LENGTH, BigInt(cells))), 128, []];
    },
    rounds: 2000,
    least: 20,
    use(filter, random) {
      const keys = keysOf(random(60));
      expect(filter.addMany(keys).omit(keys.slice(-1))).toEqual([]);
      expect(filter.fillRatio()).toBeLessThanOrEqual(1);
    },
  },
  scalable: {
    bodyAt: scalableBodyAt(3),
    end: slice(3),
    wrong: scalableWrong,
    make: (Filter, seed) => Filter.from(keysOf(60), { capacity: 10, errorRate: 0.1, growth: 3, tightening: 0.5, seed }),
    // The smallest file with two slices.
    flipped: 'scalable-tiny.blmy',
    refused: [
      ['cells of 2 bits', /bits per cell is 2$/, u8(CELL_BITS, 2)],
      ['other hashes than those of its first slice', scalableWrong, u32(HASHES, 1)],
      ['no slices', /number of segments is 0$/, u32(SEGMENTS, 0)],
      ['two slices of three', REFUSED, u32(SEGMENTS, 2)],
      ['four slices instead of three', REFUSED, u32(SEGMENTS, 4)],
      ['65 slices', /number of segments is 65$/, u32(SEGMENTS, 65)],
      ['a growth of 1', scalableWrong, u32(64, 1)],
      ['another growth', scalableWrong, u32(64, 2)],
      ['a growth of 17', scalableWrong, u32(64, 17)],
      ['a tightening of 0', scalableWrong, f64(72, 0)],
      ['a byte behind its growth', between, u8(68, 1)],
      ['a byte behind its tightening', between, u8(80, 1)],
      ['a byte before its records', between, u8(127, 1)],
      ['a byte after a record', /the padding bytes of slice 1 are not zero/, u8(slice(1, 28), 1)],
      ['a slice without cells', scalableWrong, u64(slice(1), 0n)],
      ['a slice of more cells', scalableWrong, u64(slice(1), 2n ** 20n)],
      ['a slice without hashes', scalableWrong, u32(slice(1, 24), 0)],
      ['a slice of 256 hashes', scalableWrong, u32(slice(1, 24), 256)],
      ['a slice for no keys', scalableWrong, u64(slice(0, 8), 0n)],
      ['a slice for another number of keys', scalableWrong, u64(slice(1, 8), 31n)],
      ['more keys in a slice than it is for', scalableWrong, u64(slice(2, 16), 91n)],
      ['fewer keys in a slice that is not the last', scalableWrong, u64(slice(1, 16), 29n)],
      ['another capacity', scalableWrong, u64(CAPACITY, 11n)],
      ['one cell more', scalableWrong, add64(CELLS, 1n)],
    ],
    claim(Filter, cells) {
      const head = new Filter({ capacity: 10 }).toBytes().subarray(0, scalableBodyAt(1));
      const sizes = all(u64(CELLS, BigInt(cells)), u64(LENGTH, BigInt(cells / 8)), u64(slice(0), BigInt(cells)));
      return [head, sizes, scalableBodyAt(1), []];
    },
    lengthsIn,
    rounds: 2000,
    least: 20,
    use(filter) {
      const flags = new Uint8Array(100);
      try {
        filter.addMany(keysOf(100), flags);
      } catch (error) {
        // With a forged error rate, no slice can follow.
        expect((error as Error).message).toMatch(/^a filter of \d+ keys cannot grow: /);
      }
      expect(filter.omit(keysOf(100).filter((_, key) => flags[key]))).toEqual([]);
    },
  },
  'sharded-fuse': {
    bodyAt: 192,
    end: 160,
    wrong: shardsWrong,
    make: (Filter, seed) => Filter.from(keysOf(40), { fingerprintBits: 9, shards: 4, seed }),
    makeSmall: (Filter) => Filter.from(keysOf(1), { fingerprintBits: 1, shards: 4 }),
    refused: [
      ['cells of 0 bits', /bits per cell is 0$/, u8(CELL_BITS, 0)],
      ['cells of 33 bits', /bits per cell is 33$/, u8(CELL_BITS, 33)],
      ['2 hashes', /size is \d+ cells and 2 hashes$/, u32(HASHES, 2)],
      ['2 shards', /body offset is 192$/, u32(SEGMENTS, 2)],
      ['3 shards', /number of shards is 3$/, u32(SEGMENTS, 3)],
      ['257 shards', /number of segments is 257$/, u32(SEGMENTS, 257)],
      ['segments of 2 cells in a shard', fuseWrong, u32(shard(1), 1)],
      ['segments of 2^19 cells in a shard', fuseWrong, u32(shard(2), 19)],
      ['no segments in a shard', fuseWrong, u32(shard(0, 4), 0)],
      ['more segments in a shard', shardsWrong, add32(shard(0, 4), 2)],
      ['a byte between the parameters of a shard', fuseWrong, u8(shard(2, 12), 1)],
      ['another number of keys in a shard', shardsWrong, add64(shard(3, 16), 1n)],
      ['another number of keys', shardsWrong, add64(CAPACITY, 1n)],
      ['more keys in a shard than cells', fuseWrong, all(add64(CAPACITY, 2n ** 20n), add64(shard(0, 16), 2n ** 20n))],
      ['another error rate', shardsWrong, f64(RATE, 2 ** -8)],
      ['more cells', shardsWrong, add64(CELLS, 8n)],
    ],
    claim(Filter, cells) {
      const head = this.make(Filter).toBytes().subarray(0, 192);
      const shards = [0, 1, 2, 3].map((i) => all(u32(shard(i), 18), u32(shard(i, 4), cells / 2 ** 20 - 2)));
      const sizes = all(u64(CELLS, BigInt(cells)), u64(LENGTH, BigInt(cells)), ...shards);
      return [head, all(u8(CELL_BITS, 8), f64(RATE, 2 ** -8), sizes), 192, []];
    },
    lengthsIn: (file) =>
      [0, 1, 2, 3].map((i) => {
        const view = viewOf(file);
        const cells = (view.getUint32(shard(i, 4), true) + 2) * 2 ** view.getUint32(shard(i), true);
        return Math.ceil(cells / 8) * view.getUint8(CELL_BITS);
      }),
    rounds: 5000,
    // Those whose seed or attempts were changed, or keys moved to another shard, or nothing.
    least: 50,
    use(filter) {
      const flags = filter.hasMany(keysOf(40));
      expect(flags).toEqual(Uint8Array.from(keysOf(40), (key) => Number(filter.has(key))));
    },
  },
  spatial: {
    bodyAt: 128,
    end: 68,
    make: (Filter, seed) => Filter.from(keysOf(40), { errorRate: 0.1, labels: 15, seed }),
    makeSmall: (Filter) => Filter.from(keysOf(1), { cells: 11, hashes: 2, labels: 3 }),
    refused: [
      ['cells of 0 bits', /bits per cell is 0$/, u8(CELL_BITS, 0)],
      ['cells of 17 bits', /bits per cell is 17$/, u8(CELL_BITS, 17)],
      ['cells of 3 bits', spatialWrong, u8(CELL_BITS, 3)],
      ['cells of 2 bits', spatialWrong, u8(CELL_BITS, 2)],
      ['cells of 8 bits and a longer body', spatialWrong, all(u8(CELL_BITS, 8), add64(LENGTH, 96n))],
      ['no hashes', /number of hashes is 0$/, u32(HASHES, 0)],
      ['no labels', spatialWrong, u32(64, 0)],
      ['labels that fit into fewer bits', spatialWrong, u32(64, 3)],
      ['labels that do not fit', spatialWrong, u32(64, 16)],
      ['2^16 labels', spatialWrong, u32(64, 2 ** 16)],
      ['2^16 labels of 16 bits', spatialWrong, all(u32(64, 2 ** 16), u8(CELL_BITS, 16))],
      ['more cells', /body length is/, add64(CELLS, 2n)],
    ],
    claim(Filter, cells) {
      const head = this.make(Filter).toBytes().subarray(0, 128);
      return [head, all(u64(CELLS, BigInt(cells)), u64(LENGTH, BigInt(cells / 2))), 128, []];
    },
    rounds: 2000,
    least: 20,
    use(filter, random) {
      const flags = filter.hasMany(keysOf(40));
      expect(flags).toEqual(Uint8Array.from(keysOf(40), (key) => Number(filter.has(key))));
      filter.addMany(keysOf(random(60)));
      expect(filter.fillRatio()).toBeLessThanOrEqual(1);
    },
  },
};

/** What is refused of all these kinds. */
function alwaysRefused({ bodyAt, end, wrong }: Row): Refusal[] {
  return [
    ['a body right after the header', /body offset is 64$/, u32(BODY, 64)],
    ['a longer body', REFUSED, add64(LENGTH, 1n)],
    ['one segment more', REFUSED, add32(SEGMENTS, 1)],
    ...(wrong ? [['neither capacity nor error rate', wrong, unpromised] satisfies Refusal] : []),
    ['a byte in the padding', /between its parameters and its body/, u8(end, 1)],
    ['a byte at the end of the padding', /between its parameters and its body/, u8(bodyAt - 1, 128)],
  ];
}

const subjects = kinds.flatMap((kind) => {
  const row = rows[kind.kind];
  return row === undefined ? [] : [{ ...kind, row }];
});

describe.each(subjects)('the parameters of a saved filter: $kind', ({ Filter, row }) => {
  const { bodyAt, make, makeSmall = make } = row;
  const saved = make(Filter, 5).toBytes();
  const small = makeSmall(Filter).toBytes();
  const change = (file: Uint8Array, alter: Change): Uint8Array => forge(file, alter, bodyAt, row.lengthsIn?.(file));

  it('are refused with any single bit of the file flipped, with bytes cut off, and with bytes added', () => {
    const earlier = goldenFiles.find(({ file }) => file === row.flipped);
    expectDamageRefused(Filter, row.flipped === undefined ? saved : readGolden(earlier as Golden));
  });

  it.each([...row.refused, ...alwaysRefused(row)])('are refused with %s', (what, saying, alter) => {
    expectFileRefused(Filter, change(saved, alter), what, saying);
  });

  it('cause almost no allocation, whatever size they state', () => {
    for (const cells of [2 ** 28, 2 ** 31, 2 ** 34]) expectNoAllocation(Filter, forge(...row.claim(Filter, cells)));
  });

  it('are refused, or harmless, with any field of the head changed and a matching checksum', () => {
    const random = randomFrom(4);
    const edges = [0n, 1n, 2n, 3n, 16n, 17n, 18n, 19n, 63n, 64n];
    edges.push(2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 64n - 1n);
    let read = 0;
    for (let i = 0; i < row.rounds; i++) {
      const file = change(random(2) ? small : saved, (view) => {
        for (let changes = 1 + random(3); changes > 0; changes--) {
          if (row.forgeOwn?.(view, random)) continue;
          const at = 4 * random(bodyAt / 4);
          const value = random(2) ? BigInt(random(200)) : (edges[random(edges.length)] as bigint);
          if (at % 8 || random(2)) view.setUint32(at, Number(value & 0xffffffffn), true);
          else view.setBigUint64(at, value, true);
        }
      });
      let forged: AnyFilter;
      try {
        forged = Filter.fromBytes(file);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        expect((error as Error).message).toMatch(REFUSED);
        continue;
      }
      read++;
      expect(forged.toBytes()).toEqual(file);
      row.use(forged, random);
      const again = forged.toBytes();
      expect(Filter.fromBytes(again).toBytes()).toEqual(again);
    }
    expect(read).toBeGreaterThan(row.least);
  });
});

// test/format/tombstone.test.ts has those of filters around others.
it('lists all kinds with parameters of their own', () => {
  const wrapping = entryKinds.flatMap(({ name, wraps }) => (wraps ? [name] : []));
  const own = goldenFiles.filter((file) => viewOf(readGolden(file)).getUint32(BODY, true) > 64);
  expect(new Set(own.map(({ kind }) => kind))).toEqual(new Set([...Object.keys(rows), ...wrapping]));
});
