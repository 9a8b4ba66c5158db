// The kinds of which steps show a small filter, cell by cell. Another one is another row.

import { cuckooOf, dleftOf, spatialOf, stableOf } from '../../engine.ts';
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
    name: 'classic',
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
    name: 'counting',
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
    name: 'cuckoo',
    cellName: 'slot',
    blockCells: SLOTS * CUCKOO.buckets,
    bucketCells: SLOTS,
    fillingCopies: CUCKOO_COPIES,
    removes: true,
    words: fingerprintWords(SLOTS),
    show: (value) => (value === 0 ? [] : [hex(value)]),
    async load(engine) {
      const { CuckooFilter, expectedCuckooErrorRate } = await cuckooOf(engine);
      const { buckets, fingerprintBits } = CUCKOO;
      return {
        make: () => new CuckooFilter(CUCKOO),
        expected: (keys) => expectedCuckooErrorRate(Math.min(keys, SLOTS * buckets), buckets, fingerprintBits),
      };
    },
  },
  stable: {
    name: 'stable',
    cellName: 'counter',
    blockCells: STABLE.cells,
    fillingCopies: 1,
    forgets: true,
    words: stableWords(STABLE.decrements),
    show: number,
    async load(engine) {
      const { StableBloomFilter, expectedStableErrorRate } = await stableOf(engine);
      const { cells, cellBits, hashes, decrements } = STABLE;
      return {
        make: () => new StableBloomFilter(STABLE),
        expected: () => expectedStableErrorRate(cells, cellBits, hashes, decrements),
      };
    },
  },
  dleft: {
    name: 'dleft',
    cellName: 'cell',
    blockCells: BUCKET_CELLS * DLEFT.buckets,
    bucketCells: BUCKET_CELLS,
    fillingCopies: DLEFT_COPIES,
    removes: true,
    words: remainderWords(BUCKET_CELLS),
    show: (value) => (value === 0 ? [] : [String(countOf(value)), hex(remainderOf(value))]),
    async load(engine) {
      const { DLeftCountingBloomFilter, expectedDLeftErrorRate } = await dleftOf(engine);
      const { buckets, remainderBits } = DLEFT;
      const cells = TABLES * BUCKET_CELLS * buckets;
      return {
        make: () => new DLeftCountingBloomFilter(DLEFT),
        expected: (keys) => expectedDLeftErrorRate(Math.min(keys, cells), buckets, remainderBits),
      };
    },
  },
  spatial: {
    name: 'spatial',
    cellName: 'cell',
    blockCells: SPATIAL.cells,
    fillingCopies: 1,
    labels: SPATIAL.labels,
    words: labelWords,
    show: (value) => (value === 0 ? [] : [String(value)]),
    async load(engine) {
      const { expectedErrorRate } = engine;
      const { SpatialBloomFilter } = await spatialOf(engine);
      return {
        make: () => new SpatialBloomFilter(SPATIAL),
        expected: (keys) => expectedErrorRate(keys, SPATIAL.cells, SPATIAL.hashes),
      };
    },
  },
} as const satisfies Readonly<Record<string, PictureKind>>;

export type KindName = keyof typeof kindsByName;

export const pictureKinds: readonly PictureKind[] = Object.values(kindsByName);

export function kindOf(name: KindName): PictureKind {
  return kindsByName[name];
}
