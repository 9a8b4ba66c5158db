// The kinds of filters of the picture, with what it teaches about each. A new kind is a new row.

import type { GrowingFilter } from 'bloomery';
import type { Engine } from '../engine.ts';

export interface Step {
  readonly title: string;
  readonly sentences: readonly string[];
}

/** A filter of the picture; only a counting one removes. */
export type SmallFilter = GrowingFilter & { remove?(key: string): boolean };

export interface PictureKind {
  readonly name: string;
  readonly cellName: 'bit' | 'counter';
  /** Whether a cell has more than two values, and keys can be removed. */
  readonly countsUp: boolean;
  /** How many cells of the picture are together. */
  readonly blockCells: number;
  readonly steps: readonly Step[];
  make(engine: Engine): SmallFilter;
  /** The expected error rate with so many keys. */
  expected(engine: Engine, keys: number): number;
}

const CLASSIC = { bits: 128, hashes: 4 } as const;
const BLOCKED = { bits: 1024 } as const;
const COUNTING = { counters: 64, hashes: 3 } as const;

export const pictureKinds: readonly PictureKind[] = [
  {
    name: 'classic',
    cellName: 'bit',
    countsUp: false,
    blockCells: CLASSIC.bits,
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
    make: ({ BloomFilter }) => new BloomFilter(CLASSIC),
    expected: ({ expectedErrorRate }, keys) => expectedErrorRate(keys, CLASSIC.bits, CLASSIC.hashes),
  },
  {
    name: 'blocked',
    cellName: 'bit',
    countsUp: false,
    blockCells: 256,
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
    make: ({ BlockedBloomFilter }) => new BlockedBloomFilter(BLOCKED),
    expected: ({ expectedBlockedErrorRate }, keys) => expectedBlockedErrorRate(keys, BLOCKED.bits),
  },
  {
    name: 'counting',
    cellName: 'counter',
    countsUp: true,
    blockCells: COUNTING.counters,
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
    make: ({ CountingBloomFilter }) => new CountingBloomFilter(COUNTING),
    expected: ({ expectedErrorRate }, keys) => expectedErrorRate(keys, COUNTING.counters, COUNTING.hashes),
  },
];
