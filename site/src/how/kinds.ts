// The kinds of filters that the page can show, with the text about each. A new kind is a new row, and a choice in
// how.html.

import { cuckooOf, dleftOf, spatialOf, stableOf } from '../engine.ts';
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
const BLOCKED = { bits: 1024 } as const;
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

const nothing = (): readonly string[] => [];
const number = (value: number): readonly string[] => [String(value)];

export const pictureKinds: readonly PictureKind[] = [
  {
    name: 'classic',
    cellName: 'bit',
    blockCells: CLASSIC.bits,
    fillingCopies: 1,
    removes: false,
    words: bitWords,
    steps: [
      {
        title: 'Add a key',
        sentences: [
          'A key becomes a hash, the same one every time.',
          'The hash picks 4 of these 128 bits.',
          'Adding the key sets them.',
        ],
      },
      {
        title: 'Look one up',
        sentences: [
          'A lookup reads the bits of a key.',
          'If one is not set, the key was never added.',
          'If all are set, it may have been.',
        ],
      },
      {
        title: 'Fill it',
        sentences: [
          'Each key sets more bits.',
          'Then some keys find all of theirs set although nobody added them: false positives.',
          'The formula tells how many to expect.',
        ],
      },
    ],
    show: nothing,
    load: ({ BloomFilter, expectedErrorRate }) => ({
      make: () => new BloomFilter(CLASSIC),
      expected: (keys) => expectedErrorRate(keys, CLASSIC.bits, CLASSIC.hashes),
    }),
  },
  {
    name: 'blocked',
    cellName: 'bit',
    blockCells: 256,
    fillingCopies: 1,
    removes: false,
    words: bitWords,
    steps: [
      {
        title: 'Add a key',
        sentences: [
          'The hash picks one of these 4 blocks.',
          'The key sets one bit in each of its 8 rows.',
          'A block is 32 bytes, so it lies in one cache line.',
        ],
      },
      {
        title: 'Look one up',
        sentences: [
          'A lookup reads one block only.',
          'The processor waits for memory once, not once for each bit.',
          'That makes this kind the fastest.',
        ],
      },
      {
        title: 'Fill it',
        sentences: [
          'Some blocks get more keys than others.',
          'The fuller ones err more often.',
          'So this kind needs a little more room for the same error rate.',
        ],
      },
    ],
    show: nothing,
    load: ({ BlockedBloomFilter, expectedBlockedErrorRate }) => ({
      make: () => new BlockedBloomFilter(BLOCKED),
      expected: (keys) => expectedBlockedErrorRate(keys, BLOCKED.bits),
    }),
  },
  {
    name: 'counting',
    cellName: 'counter',
    blockCells: COUNTING.counters,
    fillingCopies: 1,
    removes: true,
    words: counterWords,
    steps: [
      {
        title: 'Add a key',
        sentences: [
          'Here is a counter, 0 to 15, where a classic filter has a bit.',
          'Adding a key counts its 3 counters up.',
          'That takes four times the memory.',
        ],
      },
      {
        title: 'Remove it again',
        sentences: [
          'Removing a key counts its counters down.',
          'What other keys have counted there stays.',
          'A key may be present if none of its counters is 0.',
        ],
      },
      {
        title: 'Remove only what was added',
        sentences: [
          'A key that was never added may look present.',
          'Removing it takes counts away from other keys.',
          'Then those may look absent.',
        ],
      },
    ],
    show: number,
    load: ({ CountingBloomFilter, expectedErrorRate }) => ({
      make: () => new CountingBloomFilter(COUNTING),
      expected: (keys) => expectedErrorRate(keys, COUNTING.counters, COUNTING.hashes),
    }),
  },
  {
    name: 'stable',
    cellName: 'counter',
    blockCells: STABLE.cells,
    fillingCopies: 1,
    removes: false,
    words: stableWords(STABLE.decrements),
    steps: [
      {
        title: 'Add a key',
        sentences: [
          'Take a rotating filter if you can: one of the same size misses fewer keys.',
          'Here each key first counts 8 counters in a row down, at a random place.',
          'Then it sets its own 3 counters to 3.',
        ],
      },
      {
        title: 'Forget it again',
        sentences: [
          'A key is forgotten when one of its counters is 0.',
          'Only the last 3 keys are certainly remembered.',
          'A key that is added again is remembered as long as a new one.',
        ],
      },
      {
        title: 'Add without end',
        sentences: [
          'However many keys come, counting down keeps some counters at 0.',
          'So false positives stay as rare as the formula says.',
          'The price is that keys which were added look absent.',
        ],
      },
    ],
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
  {
    name: 'cuckoo',
    cellName: 'slot',
    blockCells: SLOTS * CUCKOO.buckets,
    fillingCopies: CUCKOO_COPIES,
    removes: true,
    words: fingerprintWords(SLOTS),
    steps: [
      {
        title: 'Add a key',
        sentences: [
          'The hash gives a key a fingerprint, and two of these 16 buckets, which are columns here.',
          'The fingerprint goes to an empty slot of one of them.',
          'If there is none, others move to their other bucket.',
        ],
      },
      {
        title: 'Remove it again',
        sentences: [
          'A key may be present if one of its buckets has its fingerprint.',
          'Removing it empties that slot.',
          'Remove only what was added: another key may have the same fingerprint there.',
        ],
      },
      {
        title: 'Fill it',
        sentences: [
          'Unlike a classic filter, it can be full: then it refuses keys, and loses none.',
          'Removing keys makes room.',
          'These fingerprints have 7 bits; longer ones make false positives rarer.',
        ],
      },
    ],
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
  {
    name: 'dleft',
    cellName: 'cell',
    blockCells: BUCKET_CELLS * DLEFT.buckets,
    fillingCopies: DLEFT_COPIES,
    removes: true,
    words: remainderWords(BUCKET_CELLS),
    steps: [
      {
        title: 'Add a key',
        sentences: [
          'A cuckoo filter is smaller and faster: this kind is for keys that come many times.',
          'A key has a bucket, a column here, in each of these 4 tables.',
          'A part of its hash, the remainder, goes to the emptiest of them.',
        ],
      },
      {
        title: 'Add it again',
        sentences: [
          'A cell counts up to 3 copies, and a fourth takes another cell.',
          'Removing a key takes one copy away, so remove only what was added.',
          'Counts are exact, unless two keys have the same remainder in the same buckets.',
        ],
      },
      {
        title: 'Fill it',
        sentences: [
          'An absent key looks present if its remainder is in one of its buckets.',
          'If all 4 buckets are full, the filter refuses the key, and loses none.',
          'Removing keys makes room.',
        ],
      },
    ],
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
  {
    name: 'spatial',
    cellName: 'cell',
    blockCells: SPATIAL.cells,
    fillingCopies: 1,
    removes: false,
    labels: SPATIAL.labels,
    words: labelWords,
    steps: [
      {
        title: 'Add a key with a label',
        sentences: [
          'If the keys fit into a map, take that: it never errs.',
          'Here is a label, 0 to 3, where a classic filter has a bit.',
          'Adding a key raises its 4 cells to its label.',
        ],
      },
      {
        title: 'Look one up',
        sentences: [
          'A key has the least label of its cells.',
          'If one of them is 0, the key was never added.',
          'The order in which keys are added does not matter.',
        ],
      },
      {
        title: 'Fill it',
        sentences: [
          'A key never seems to have a lower label than its own.',
          'It seems to have a higher one if keys of such labels share all its cells.',
          'So give the highest label to the most important keys.',
        ],
      },
    ],
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
];
