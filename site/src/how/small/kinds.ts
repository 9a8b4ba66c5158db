// The kinds of which steps show a small filter, cell by cell. Another one is another row.

import { entryOn } from '../../engine.ts';
import type { PictureKind } from './kind.ts';
import {
  bitWords,
  counterWords,
  countOf,
  fingerprintWords,
  hex,
  labelWords,
  remainderOf,
  remainderWords,
  stableWords,
} from './words.ts';

const CLASSIC = { bits: 128, hashes: 4 } as const;
const COUNTING = { counters: 64, hashes: 3 } as const;
const STABLE = { cells: 128, cellBits: 2, hashes: 3, decrements: 8 } as const;
const CUCKOO = { buckets: 16, fingerprintBits: 7 } as const;
const SLOTS = 4;
const DLEFT = { buckets: 3, remainderBits: 8 } as const;
const BUCKET_CELLS = 8;
const TABLES = 4;
/** The most copies of a key in its two buckets, with one in each slot. */
const CUCKOO_COPIES = 2 * SLOTS;
/** The most copies of a key in its bucket of each table, with three in each cell. */
const DLEFT_COPIES = 3 * TABLES * BUCKET_CELLS;
const SPATIAL = { cells: 128, hashes: 4, labels: 3 } as const;

const number = (value: number): readonly string[] => [String(value)];

const kindsByName = {
  classic: {
    cellName: 'bit',
    blockCells: CLASSIC.bits,
    fillingCopies: 1,
    words: bitWords,
    show: () => [],
    load: ({ BloomFilter, expectedErrorRate }) => ({
      make: () => new BloomFilter(CLASSIC),
      expected: (keys) => expectedErrorRate(keys, CLASSIC.bits, CLASSIC.hashes),
    }),
  },
  counting: {
    cellName: 'counter',
    blockCells: COUNTING.counters,
    fillingCopies: 1,
    removes: true,
    words: counterWords,
    show: number,
    load: ({ CountingBloomFilter, expectedErrorRate }) => ({
      make: () => new CountingBloomFilter(COUNTING),
      expected: (keys) => expectedErrorRate(keys, COUNTING.counters, COUNTING.hashes),
    }),
  },
  cuckoo: {
    cellName: 'slot',
    blockCells: SLOTS * CUCKOO.buckets,
    bucketCells: SLOTS,
    fillingCopies: CUCKOO_COPIES,
    removes: true,
    words: fingerprintWords(SLOTS),
    show: (value) => (value === 0 ? [] : [hex(value)]),
    async load(engine) {
      const { CuckooFilter, expectedCuckooErrorRate } = await entryOn(engine, 'cuckoo');
      const { buckets, fingerprintBits } = CUCKOO;
      return {
        make: () => new CuckooFilter(CUCKOO),
        expected: (keys) => expectedCuckooErrorRate(Math.min(keys, SLOTS * buckets), buckets, fingerprintBits),
      };
    },
  },
  stable: {
    cellName: 'counter',
    blockCells: STABLE.cells,
    fillingCopies: 1,
    forgets: true,
    rarer: {
      label: 'Stable',
      about:
        'Each key first counts 8 counters in a row down, at a random place, then sets its own 3 to 3. So some counters are always 0, and errors stay rare however many keys come. But any key may be forgotten: a rotating filter of the same size misses fewer.',
    },
    words: stableWords(STABLE.decrements),
    show: number,
    async load(engine) {
      const { StableBloomFilter, expectedStableErrorRate } = await entryOn(engine, 'stable');
      const { cells, cellBits, hashes, decrements } = STABLE;
      return {
        make: () => new StableBloomFilter(STABLE),
        expected: () => expectedStableErrorRate(cells, cellBits, hashes, decrements),
      };
    },
  },
  dleft: {
    cellName: 'cell',
    blockCells: BUCKET_CELLS * DLEFT.buckets,
    bucketCells: BUCKET_CELLS,
    fillingCopies: DLEFT_COPIES,
    removes: true,
    rarer: {
      label: 'D-left',
      about:
        'A key has a bucket, a column here, in each of 4 tables. The remainder of its hash goes to the emptiest, with a count of its copies. It counts up to 96 copies exactly; for keys that come once, a cuckoo filter is smaller.',
    },
    words: remainderWords(BUCKET_CELLS),
    show: (value) => (value === 0 ? [] : [String(countOf(value)), hex(remainderOf(value))]),
    async load(engine) {
      const { DLeftCountingBloomFilter, expectedDLeftErrorRate } = await entryOn(engine, 'dleft');
      const { buckets, remainderBits } = DLEFT;
      const cells = TABLES * BUCKET_CELLS * buckets;
      return {
        make: () => new DLeftCountingBloomFilter(DLEFT),
        expected: (keys) => expectedDLeftErrorRate(Math.min(keys, cells), buckets, remainderBits),
      };
    },
  },
  spatial: {
    cellName: 'cell',
    blockCells: SPATIAL.cells,
    fillingCopies: 1,
    labels: SPATIAL.labels,
    rarer: {
      label: 'Spatial',
      about:
        'Here is a label, 0 to 3, where a classic filter has a bit. Adding a key raises its 4 cells to its label, and a lookup gives the least label of its cells: never a lower one than its own. If the keys fit into a map, take that.',
    },
    words: labelWords,
    show: (value) => (value === 0 ? [] : [String(value)]),
    async load(engine) {
      const { SpatialBloomFilter } = await entryOn(engine, 'spatial');
      return {
        make: () => new SpatialBloomFilter(SPATIAL),
        expected: (keys) => engine.expectedErrorRate(keys, SPATIAL.cells, SPATIAL.hashes),
      };
    },
  },
} as const satisfies Readonly<Record<string, Omit<PictureKind, 'name'>>>;

export type KindName = keyof typeof kindsByName;

export function kindOf(name: KindName): PictureKind {
  return { name, ...kindsByName[name] };
}

export const pictureKinds: readonly PictureKind[] = Object.entries(kindsByName).map(([name, row]) => ({
  name,
  ...row,
}));
