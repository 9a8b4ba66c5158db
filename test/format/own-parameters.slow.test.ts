// What is refused of the files of each kind: its sizes, and the parameters that it has behind the header. Changed in
// other ways, a file is refused or harmless: see test/fuzz.

import { describe, expect, it } from 'vitest';
import { ScalableBloomFilter } from '../../src/entries/scalable.ts';
import { ShardedFuseFilter } from '../../src/entries/sharded-fuse.ts';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import { type AnyClass, type AnyFilter, kinds } from '../shared/kinds.ts';
import { concat } from '../shared/stream-tools.ts';
import {
  add32,
  add64,
  all,
  type Change,
  expectNoAllocation,
  expectRefused,
  f64,
  setBit,
  u8,
  u16,
  u32,
  u64,
} from './refusal.ts';
import { forge, keysOf, layoutOf, REFUSED, viewOf } from './saved.ts';

type Refusal = [what: string, saying: RegExp, change: Change];

/** The fields of a header, by their offsets. */
const [CELL_BITS, HASHES, CELLS, CAPACITY, RATE, BODY, SEGMENTS, LENGTH] = [7, 12, 16, 24, 32, 40, 44, 48] as const;

interface Row {
  /** Where the parameters end, and zeros up to the body begin, if the kind has parameters of its own. */
  readonly end?: number;
  /** The error for neither a capacity nor an error rate. Left out where a size can be given instead. */
  readonly wrong?: RegExp;
  make(Filter: AnyClass): AnyFilter;
  readonly refused: readonly Refusal[];
}

const subFilter = (i: number, at = 0): number => 128 + 32 * i + at;
/** Another layout of the cells of 9 bits in the file of a fuse filter. */
const layout = (exponent: number, segments: number): Change => {
  const cells = BigInt((segments + 2) * 2 ** exponent);
  return all(u32(64, exponent), u32(68, segments), u64(CELLS, cells), u64(LENGTH, (9n * cells + 7n) / 8n));
};
const MOST = 2n ** 53n - 1n;
/** Sub-filters that are full at these capacities. */
const capacities = (...keys: number[]): Change[] =>
  keys.flatMap((count, i) => [u64(subFilter(i, 8), BigInt(count)), u64(subFilter(i, 16), BigInt(count))]);
const withoutCells: Change = (view) => {
  const padded = ((view.getBigUint64(subFilter(1), true) + 511n) / 512n) * 512n;
  all(u64(subFilter(1), 0n), add64(CELLS, -padded), add64(LENGTH, -padded / 8n))(view);
};
const shard = (i: number, at = 0): number => 64 + 24 * i + at;

const fuseWrong = /its parameters are /;
const shardsWrong = /it has \d+ keys and \d+ cells in its shards$/;
const spatialWrong = /its number of labels is \d+, with \d+ bits per cell$/;
const scalableWrong = /its growth is .+, its tightening .+, or a sub-filter is wrong$/;
const stableWrong = /it has cells of \d bits and \d+ decrements$/;
const between = /between its parameters are set/;

/** Cells of widths that a kind does not have. */
const widths = (...all: number[]): Refusal[] =>
  all.map((bits) => [`cells of ${bits} bits`, new RegExp(`bits per cell is ${bits}$`), u8(CELL_BITS, bits)]);

/** What is refused of a filter of fingerprints. */
const fuseSizes: readonly Refusal[] = [
  ...widths(0, 33),
  ['2 hashes', /size is \d+ cells and 2 hashes$/, u32(HASHES, 2)],
];

/** A kind with split blocks of `bits` bits. */
function blocks(bits: number): Row {
  const [most, one] = [2n ** 32n * BigInt(bits), bits / 8];
  return {
    make: (Filter) => new Filter({ bits }),
    refused: [
      ['cells of 2 bits', /bits per cell is 2$/, u8(CELL_BITS, 2)],
      ['one hash more', /size is \d+ bits and \d+ hashes$/, add32(HASHES, 1)],
      ['half a block more', /size is \d+ bits/, all(add64(CELLS, BigInt(bits / 2)), add64(LENGTH, BigInt(one / 2)))],
      ['too many blocks', /size is \d+ bits/, all(u64(CELLS, most), u64(LENGTH, most / 8n))],
    ],
  };
}

const rows: Readonly<Record<string, Row>> = {
  fuse: {
    end: 88,
    wrong: fuseWrong,
    make: (Filter) => Filter.from(keysOf(40), { fingerprintBits: 9, seed: 5 }),
    refused: [
      ...fuseSizes,
      ['segments of 2 cells', fuseWrong, layout(1, 38)],
      ['segments of 2^19 cells', fuseWrong, layout(19, 1)],
      ['an exponent of 2^32 − 1', fuseWrong, u32(64, 2 ** 32 - 1)],
      ['no segments', fuseWrong, layout(5, 0)],
      ['a segment of cells more', fuseWrong, add32(68, 1)],
      ['the 65th attempt', fuseWrong, u32(72, 64)],
      ['2^32 cells', fuseWrong, layout(18, 2 ** 14 - 2)],
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
  },
  rotating: {
    end: 112,
    wrong: fuseWrong,
    make: (Filter) => Filter.from(keysOf(33), { capacity: 20, generations: 3, window: 1000, clock: () => 777.5 }),
    refused: [
      ['cells of 2 bits', /bits per cell is 2$/, u8(CELL_BITS, 2)],
      ['7 hashes', /size is \d+ bits and 7 hashes$/, u32(HASHES, 7)],
      ['one generation', fuseWrong, u32(64, 1)],
      ['17 generations', fuseWrong, all(u32(64, 17), u64(72, 2n), u64(80, 1n), u64(CELLS, 4352n), u64(LENGTH, 544n))],
      ['a current generation that it does not have', fuseWrong, u32(68, 3)],
      ['no quota', fuseWrong, u64(72, 0n)],
      ['a quota of more', fuseWrong, u64(72, 11n)],
      ['more keys in a generation than its quota', fuseWrong, u64(80, 11n)],
      ['2^53 rotations', fuseWrong, u64(88, 2n ** 53n)],
      ['a negative window', fuseWrong, f64(96, -1)],
      ['an endless window', fuseWrong, f64(96, Number.POSITIVE_INFINITY)],
      ['a time without a window', fuseWrong, f64(96, 0)],
      ['a time of −0 without a window', fuseWrong, all(f64(96, 0), f64(104, -0))],
      ['a window of −0', fuseWrong, all(f64(96, -0), f64(104, 0))],
      ['a negative time', fuseWrong, f64(104, -1)],
      ['a time that is no number', fuseWrong, f64(104, Number.NaN)],
      ['another capacity', fuseWrong, u64(CAPACITY, 23n)],
      ['no capacity, quota or keys', fuseWrong, all(...[CAPACITY, RATE, 72, 80].map((at) => u64(at, 0n)))],
      ['one cell more', fuseWrong, add64(CELLS, 1n)],
      ['one block more in each generation', /body length is/, add64(CELLS, 768n)],
      ['too many blocks', fuseWrong, u64(CELLS, 768n * 2n ** 32n)],
    ],
  },
  stable: {
    end: 80,
    make: (Filter) => new Filter({ cells: 83, cellBits: 4, hashes: 3, decrements: 20 }).addMany(keysOf(33)),
    refused: [
      ...widths(0, 9),
      ['cells of 3 bits', stableWrong, u8(CELL_BITS, 3)],
      ['cells of 8 bits', /body length is/, u8(CELL_BITS, 8)],
      ['no decrements', stableWrong, u64(64, 0n)],
      ['more decrements than cells', stableWrong, u64(64, 84n)],
      ['fewer cells than decrements', stableWrong, all(u64(CELLS, 19n), u64(LENGTH, 10n))],
      ['more cells', /body length is/, add64(CELLS, 2n)],
    ],
  },
  scalable: {
    end: subFilter(3),
    wrong: scalableWrong,
    make: (Filter) => Filter.from(keysOf(60), { capacity: 10, errorRate: 0.1, growth: 3, tightening: 0.5 }),
    refused: [
      ['cells of 2 bits', /bits per cell is 2$/, u8(CELL_BITS, 2)],
      ['other hashes than those of its first sub-filter', scalableWrong, u32(HASHES, 1)],
      ['no sub-filters', /number of segments is 0$/, u32(SEGMENTS, 0)],
      ['two sub-filters of three', REFUSED, u32(SEGMENTS, 2)],
      ['four sub-filters instead of three', REFUSED, u32(SEGMENTS, 4)],
      ['65 sub-filters', /number of segments is 65$/, u32(SEGMENTS, 65)],
      ['a growth of 1', scalableWrong, all(u32(64, 1), ...capacities(10, 10, 10))],
      ['another growth', scalableWrong, u32(64, 2)],
      ['a growth of 17', scalableWrong, all(u32(64, 17), ...capacities(10, 170, 2890))],
      ['a tightening of 0', scalableWrong, f64(72, 0)],
      ['a tightening of 1', scalableWrong, f64(72, 1)],
      ['a byte behind its growth', between, u8(68, 1)],
      ['a byte behind its tightening', between, u8(80, 1)],
      ['a byte before its records', between, u8(127, 1)],
      ['a byte after a record', /the padding bytes of sub-filter 1 are not zero/, u8(subFilter(1, 28), 1)],
      ['a sub-filter without cells', scalableWrong, withoutCells],
      ['a sub-filter of more cells', scalableWrong, u64(subFilter(1), 2n ** 20n)],
      ['a sub-filter without hashes', scalableWrong, u32(subFilter(1, 24), 0)],
      ['a sub-filter of 256 hashes', scalableWrong, u32(subFilter(1, 24), 256)],
      ['a sub-filter for no keys', scalableWrong, u64(subFilter(0, 8), 0n)],
      ['sub-filters for no keys', scalableWrong, all(u64(CAPACITY, 0n), f64(RATE, 0), ...capacities(0, 0, 0))],
      [
        'sub-filters for 2^53 keys and more',
        scalableWrong,
        all(u64(CAPACITY, MOST), ...capacities(Number(MOST), 3 * Number(MOST), 9 * Number(MOST))),
      ],
      ['a sub-filter for another number of keys', scalableWrong, u64(subFilter(1, 8), 31n)],
      ['more keys in a sub-filter than it is for', scalableWrong, u64(subFilter(2, 16), 91n)],
      ['fewer keys in a sub-filter that is not the last', scalableWrong, u64(subFilter(1, 16), 29n)],
      ['another capacity', scalableWrong, u64(CAPACITY, 11n)],
      ['one cell more', scalableWrong, add64(CELLS, 1n)],
    ],
  },
  'sharded-fuse': {
    end: 160,
    wrong: shardsWrong,
    make: (Filter) => Filter.from(keysOf(40), { fingerprintBits: 9, shards: 4 }),
    refused: [
      ...fuseSizes,
      ['2 shards', /body offset is 192$/, u32(SEGMENTS, 2)],
      ['3 shards', /number of shards is 3$/, u32(SEGMENTS, 3)],
      ['257 shards', /number of segments is 257$/, u32(SEGMENTS, 257)],
      // Each shard is read as a fuse filter is.
      ['segments of 2 cells in a shard', fuseWrong, u32(shard(1), 1)],
      ['more segments in a shard', shardsWrong, add32(shard(0, 4), 2)],
      ['another number of keys in a shard', shardsWrong, add64(shard(3, 16), 1n)],
      ['another number of keys', shardsWrong, add64(CAPACITY, 1n)],
      ['another error rate', shardsWrong, f64(RATE, 2 ** -8)],
      ['more cells', shardsWrong, add64(CELLS, 8n)],
    ],
  },
  'fuse-map': {
    end: 168,
    make: (Filter) => Filter.from(keysOf(40), { errorRate: 0.01, shards: 4 }),
    refused: [
      ...widths(0, 33),
      ['2 hashes', /and 2 hashes$/, u32(HASHES, 2)],
      ['a capacity', /and 3 hashes$/, all(u64(CAPACITY, 40n), f64(RATE, 0.01))],
      ['values of 0 bits', /its values have 0 of 8 bits$/, u32(64, 0)],
      ['values wider than a cell', /its values have 9 of 8 bits$/, u32(64, 9)],
      ['a byte after the width of values', /its values have 1 of 8 bits$/, u8(68, 1)],
      ['2 shards', /body offset is 192$/, u32(SEGMENTS, 2)],
      ['3 shards', /number of shards is 3$/, u32(SEGMENTS, 3)],
      ['257 shards', /number of segments is 257$/, u32(SEGMENTS, 257)],
      ['segments of 2 cells in a shard', fuseWrong, u32(72, 1)],
      ['more segments in a shard', /cells in its shards$/, add32(76, 2)],
      ['more cells', /cells in its shards$/, add64(CELLS, 8n)],
    ],
  },
  spatial: {
    end: 68,
    make: (Filter) => Filter.from(keysOf(40), { errorRate: 0.1, labels: 15 }),
    refused: [
      ...widths(0, 17),
      ['cells of 3 bits', spatialWrong, u8(CELL_BITS, 3)],
      ['cells of 2 bits', spatialWrong, u8(CELL_BITS, 2)],
      ['cells of 8 bits and a longer body', spatialWrong, all(u8(CELL_BITS, 8), add64(LENGTH, 96n))],
      ['no labels, in cells of a bit', spatialWrong, all(u32(64, 0), u8(CELL_BITS, 1))],
      ['labels that fit into fewer bits', spatialWrong, u32(64, 3)],
      ['labels that do not fit', spatialWrong, u32(64, 16)],
      ['2^16 labels', spatialWrong, u32(64, 2 ** 16)],
      ['2^16 labels of 16 bits', spatialWrong, all(u32(64, 2 ** 16), u8(CELL_BITS, 16))],
      ['more cells', /body length is/, add64(CELLS, 2n)],
    ],
  },
  blocked: blocks(256),
  wide: blocks(512),
  cuckoo: {
    make: (Filter) => new Filter({ buckets: 2, fingerprintBits: 16 }),
    refused: [
      ...widths(6, 33),
      ['3 hashes', /size is 8 slots and 3 hashes$/, u32(HASHES, 3)],
      ['an odd number of buckets', /size is 12 slots/, all(u64(CELLS, 12n), u64(LENGTH, 24n))],
      ['too many buckets', /size is 4294967304 slots/, all(u64(CELLS, 2n ** 32n + 8n), u64(LENGTH, 2n ** 33n + 16n))],
    ],
  },
  dleft: {
    make: (Filter) => new Filter({ buckets: 1, remainderBits: 14 }),
    refused: [
      ...widths(5, 33),
      ['3 hashes', /size is 32 cells and 3 hashes$/, u32(HASHES, 3)],
      ['half a bucket', /size is 48 cells/, all(u64(CELLS, 48n), u64(LENGTH, 96n))],
      ['too many buckets', /size is 4294967328 cells/, all(u64(CELLS, 2n ** 32n + 32n), u64(LENGTH, 2n ** 33n + 64n))],
    ],
  },
  'fingerprint-set': {
    make: (Filter) => Filter.from(keysOf(5)),
    refused: [
      ...widths(95, 97),
      ['2 hashes', /size is 5 fingerprints and 2 hashes$/, u32(HASHES, 2)],
      ['a capacity', /size is 5 fingerprints/, all(u64(CAPACITY, 5n), f64(RATE, 0.01))],
      ['one fingerprint more', /body length is 60$/, u64(CELLS, 6n)],
      [
        'too many fingerprints',
        /size is 4294967297 fingerprints/,
        all(u64(CELLS, 2n ** 32n + 1n), u64(LENGTH, 12n * (2n ** 32n + 1n))),
      ],
      ['one fingerprint less', /body length is 60$/, u64(CELLS, 4n)],
      ['a fingerprint of zeros', /its fingerprint 0 is zero$/, all(u64(64, 0n), u32(72, 0))],
      ...[1, 2, 3, 4].map((i): Refusal => {
        const same: Change = (view) =>
          new Uint8Array(view.buffer).copyWithin(64 + 12 * i, 64 + 12 * (i - 1), 64 + 12 * i);
        return [`fingerprint ${i} twice`, new RegExp(`its fingerprint ${i} is not greater`), same];
      }),
      // The first eight bytes are the same, and the rest is less.
      [
        'fingerprints that descend',
        /its fingerprint 1 is not greater/,
        all((view) => u64(64, view.getBigUint64(76, true))(view), u32(72, 2), u32(84, 1)),
      ],
    ],
  },
};

/** What is refused of all kinds with parameters of their own. */
function alwaysRefused({ end, wrong }: Row, bodyAt: number): Refusal[] {
  if (end === undefined) return [];
  return [
    ['a body right after the header', /body offset is 64$/, u32(BODY, 64)],
    ['a longer body', REFUSED, add64(LENGTH, 1n)],
    ['one segment more', REFUSED, add32(SEGMENTS, 1)],
    ...(wrong
      ? [['neither capacity nor error rate', wrong, all(u64(CAPACITY, 0n), f64(RATE, 0))] satisfies Refusal]
      : []),
    ['a byte in the padding', /between its parameters and its body/, u8(end, 1)],
    ['a byte at the end of the padding', /between its parameters and its body/, u8(bodyAt - 1, 128)],
  ];
}

const subjects = kinds.flatMap((kind) => {
  const row = rows[kind.kind];
  return row === undefined ? [] : [{ ...kind, row }];
});

describe.each(subjects)('the parameters of a saved filter are refused: $kind', ({ Filter, row }) => {
  const saved = row.make(Filter).toBytes();

  it.each([...row.refused, ...alwaysRefused(row, layoutOf(saved)[0])])('%s', (what, saying, alter) => {
    expectRefused(Filter, forge(saved, alter), saying, what);
  });
});

it('every kind has a row, but the classic one and its twin, which have no limits, and the one around others', () => {
  const others = kinds.filter(({ kind }) => !(kind in rows)).map(({ kind }) => kind);
  expect(others).toEqual(['classic', 'counting', 'tombstone']);
});

describe('the sub-filters of a saved scalable filter', () => {
  const saved = ScalableBloomFilter.from(keysOf(60), { capacity: 10, errorRate: 0.1, growth: 3 }).toBytes();
  const [bodyAt, lengths] = layoutOf(saved);
  const startOf = (i: number): number => bodyAt + lengths.slice(0, i).reduce((sum, length) => sum + length, 0);

  it('are refused with bits set after the last cell of any', () => {
    for (const [i, length] of lengths.entries()) {
      const cells = Number(viewOf(saved).getBigUint64(subFilter(i), true));
      for (const bit of [cells, cells + 1, 8 * length - 1]) {
        const file = forge(saved, setBit(8 * startOf(i) + bit));
        expectRefused(ScalableBloomFilter, file, /the padding bits of a sub-filter are not zero/, `bit ${bit} of ${i}`);
      }
    }
  });

  it('are refused in another order', () => {
    const [from, to, end] = [0, 1, 2].map(startOf);
    const swapped = [saved.subarray(0, from), saved.subarray(to, end), saved.subarray(from, to), saved.subarray(end)];
    expectRefused(ScalableBloomFilter, concat(swapped), /its checksum is wrong/);
  });

  it('take almost no memory, whatever size they state', () => {
    const head = new ScalableBloomFilter({ capacity: 10 }).toBytes().subarray(0, 192);
    for (const cells of [2n ** 28n, 2n ** 31n, 2n ** 34n]) {
      const sizes = all(u64(CELLS, cells), u64(LENGTH, cells / 8n), u64(subFilter(0), cells));
      expectNoAllocation(ScalableBloomFilter, forge(head, sizes, [192, []]));
    }
  });
});

it('a saved sharded fuse filter is refused with bits set after the last cell of any shard', () => {
  // 12 cells of 3 bits, and four unused ones.
  const saved = ShardedFuseFilter.from(keysOf(1), { fingerprintBits: 3, shards: 4 }).toBytes();
  for (const i of [0, 1, 2, 3]) {
    for (const bit of [36, 39, 40, 47]) {
      const file = forge(saved, setBit(8 * (192 + 6 * i) + bit));
      const saying = new RegExp(`the padding bits of shard ${i} are not zero$`);
      expectRefused(ShardedFuseFilter, file, saying, `bit ${bit} of shard ${i}`);
    }
  }
});

it.each([
  [1, 41],
  [2, 41],
  [10, 41],
  [15, 41],
  [200, 41],
  [300, 41],
  [65_535, 41],
  [10, 300_001],
])('a saved spatial filter for %i labels has none above that in any of %i cells', (labels, cells) => {
  const file = new SpatialBloomFilter({ cells, hashes: 3, labels }).toBytes();
  const bits = file[7] as number;
  for (const cell of [0, 1, 7, 15, 16, 40, cells - 1]) {
    const at = 128 + Math.floor((cell * bits) / 8);
    const put = (label: number) => forge(file, bits === 16 ? u16(at, label) : u8(at, label << ((cell * bits) % 8)));
    expect(SpatialBloomFilter.fromBytes(put(labels)).fillRatio(labels)).toBe(1 / cells);
    const saying = new RegExp(`: a cell has a label above ${labels}$`);
    for (const label of [labels + 1, 2 ** bits - 1]) {
      if (label > labels && label < 2 ** bits) expectRefused(SpatialBloomFilter, put(label), saying, `cell ${cell}`);
    }
  }
});
