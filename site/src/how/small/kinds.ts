// The kinds of which steps show a small filter, cell by cell. Another one is another row.

import { entryOn } from '../../engine.ts';
import type { PictureKind } from './kind.ts';
import { bitWords, counterWords, fingerprintWords, hex } from './words.ts';

const CLASSIC = { bits: 128, hashes: 4 } as const;
const COUNTING = { counters: 64, hashes: 3 } as const;
const CUCKOO = { buckets: 16, fingerprintBits: 7 } as const;
const SLOTS = 4;

const kindsByName = {
  classic: {
    cellName: 'bit',
    words: bitWords,
    show: () => '',
    load: ({ BloomFilter, expectedErrorRate }) => ({
      make: () => new BloomFilter(CLASSIC),
      expected: (keys) => expectedErrorRate(keys, CLASSIC.bits, CLASSIC.hashes),
    }),
  },
  counting: {
    cellName: 'counter',
    removes: true,
    words: counterWords,
    show: String,
    load: ({ CountingBloomFilter, expectedErrorRate }) => ({
      make: () => new CountingBloomFilter(COUNTING),
      expected: (keys) => expectedErrorRate(keys, COUNTING.counters, COUNTING.hashes),
    }),
  },
  cuckoo: {
    cellName: 'slot',
    bucketCells: SLOTS,
    // One in each slot of its two buckets.
    fillingCopies: 2 * SLOTS,
    removes: true,
    words: fingerprintWords(SLOTS),
    show: (value) => (value === 0 ? '' : hex(value)),
    async load(engine) {
      const { CuckooFilter, expectedCuckooErrorRate } = await entryOn(engine, 'cuckoo');
      const { buckets, fingerprintBits } = CUCKOO;
      return {
        make: () => new CuckooFilter(CUCKOO),
        expected: (keys) => expectedCuckooErrorRate(Math.min(keys, SLOTS * buckets), buckets, fingerprintBits),
      };
    },
  },
} as const satisfies Readonly<Record<string, Omit<PictureKind, 'name'>>>;

export type KindName = keyof typeof kindsByName;

export function kindOf(name: KindName): PictureKind {
  return { name, ...kindsByName[name] };
}

export const pictureKinds: readonly PictureKind[] = (Object.keys(kindsByName) as KindName[]).map(kindOf);
