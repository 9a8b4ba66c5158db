// All kinds of filters, in the order in which they are shown. A new kind is a row.

import { expectedBlockedErrorRate, optimalBlocks } from 'bloomery';
import { expectedCuckooErrorRate, optimalCuckooBuckets, optimalCuckooFingerprintBits } from 'bloomery/cuckoo';
import { expectedDLeftErrorRate, optimalDLeftBuckets, optimalDLeftRemainderBits } from 'bloomery/dleft';
import { optimalFuseCells, optimalFuseFingerprintBits } from 'bloomery/fuse';
import { optimalStableSize } from 'bloomery/stable';
import { expectedWideBlockedErrorRate, optimalWideBlocks } from 'bloomery/wide';
import { accent } from '../../../tools/colors.ts';
import { classicRate, classicShape, LEAST_OF_HASHES, ofBlocks, ofBuckets, ofCells, widthIn } from './families.ts';
import type { KindRow } from './kind-row.ts';

/** The slots of a bucket of a cuckoo filter. */
const BUCKET_SLOTS = 4;
/** The cells of one bucket in each table of a d-left counting filter. */
const KEY_CELLS = 32;
/** The share of the keys that a tombstone filter is shown for: about where a new base would be better. */
export const REMOVED_SHARE = 0.01;
/** The first sub-filter of a scalable filter has this share of its error rate, as is the library's default. */
const FIRST_SUB_FILTER = 1 - 0.7;
/**
 * A sub-filter for fewer keys takes as many bits as a sub-filter for this many. Sub-filters are padded to whole cache
 * lines.
 */
const LEAST_KEYS = 1000;
const LINE_BITS = 512;
const GENERATIONS = 4;
const BLOCK_BITS = 256;
/** The number of sets for which the row of spatial filters is computed. */
const LABELS = 255;

/** What a row has unless it says something else. */
const usual = {
  removes: false,
  choosesHashes: false,
  hasCommand: true,
  mostKeys: Number.MAX_SAFE_INTEGER,
  buildBits: 0,
  headerBytes: 128,
} as const;

/** A row, whose entry and anchor have the name of the kind unless it says something else. */
type Row = Omit<KindRow, keyof typeof usual | 'entry' | 'anchor'> & Partial<KindRow>;

const rows: readonly Row[] = [
  {
    kind: 'classic',
    className: 'BloomFilter',
    color: accent,
    entry: 'bloomery',
    redis: 'RedisBloomFilter',
    bestFor: 'small size, any error rate',
    why: 'The default: it takes any error rate, is never full, and is small.',
    formula: 'm = −n · ln p / (ln 2)²; k = m/n · ln 2; p = (1 − e^(−k·n/m))^k',
    ...ofCells(1, ({ cells, hashes }) => ({ bits: cells, hashes })),
  },
  {
    kind: 'blocked',
    className: 'BlockedBloomFilter',
    color: { light: '#1a66b8', dark: '#7db4f0' },
    entry: 'bloomery',
    redis: 'RedisBloomFilter',
    bestFor: 'speed, down to 0.001 %',
    why: 'The fastest: all bits of a key are in one cache line. The rarer errors are to be, the more room it takes.',
    formula: 'the least m = 256 · b for which the mean over blocks of (1 − (31/32)^keys)⁸ is at most p',
    leastRate: 1e-5,
    rarer: 'wide',
    ...ofBlocks(BLOCK_BITS, 8, optimalBlocks, expectedBlockedErrorRate),
  },
  {
    kind: 'wide',
    className: 'WideBlockedBloomFilter',
    color: { light: '#7a3fb5', dark: '#c59bf2' },
    redis: 'RedisBloomFilter',
    bestFor: 'speed with rare errors, down to 10⁻⁸',
    why: 'For rare errors at high speed: one cache line for each key, with twice as many bits as in a blocked one.',
    formula: 'the least m = 512 · b for which the mean over blocks of (1 − (31/32)^keys)¹⁶ is at most p',
    leastRate: 1e-8,
    rarer: 'classic',
    ...ofBlocks(LINE_BITS, 16, optimalWideBlocks, expectedWideBlockedErrorRate),
  },
  {
    kind: 'counting',
    className: 'CountingBloomFilter',
    color: { light: '#8a5a00', dark: '#e0b050' },
    entry: 'bloomery',
    bestFor: 'removing keys, of any number',
    why: 'Keys can be removed from it, and it is never full. It has a counter of 4 bits where a classic one has a bit.',
    formula: 'm = 4 · n · log₂(1/p) / ln 2; k = log₂(1/p)',
    removes: true,
    leavesPlot: true,
    ...ofCells(4, ({ cells, hashes }) => ({ counters: cells, hashes })),
  },
  {
    kind: 'cuckoo',
    className: 'CuckooFilter',
    color: { light: '#0f7561', dark: '#4fc9ae' },
    bestFor: 'removing keys, of a number that is known',
    why: 'Keys can be removed from it, in a quarter of the room of a counting one. When it is full, it refuses keys.',
    formula: 'm = 1.05 · n · ⌈log₂(1/p) + 2.9⌉',
    mostKeys: 4_080_218_912,
    // A key is compared with all slots of two buckets, with fingerprints of 32 bits.
    leastRate: (2 * BUCKET_SLOTS) / 2 ** 32,
    ...ofBuckets({
      bucketCells: BUCKET_SLOTS,
      hashes: 2,
      otherBits: 0,
      leastBits: 7,
      bucketsFor: optimalCuckooBuckets,
      bitsFor: optimalCuckooFingerprintBits,
      expected: expectedCuckooErrorRate,
      options: (buckets, fingerprintBits) => ({ buckets, fingerprintBits }),
    }),
  },
  {
    kind: 'dleft',
    className: 'DLeftCountingBloomFilter',
    color: { light: '#7b5238', dark: '#cfa58a' },
    anchor: 'd-left-counting',
    bestFor: 'removing keys that come many times',
    why: 'Only for keys of many copies, up to 96: it counts them exactly. A cuckoo filter is smaller and faster.',
    formula: 'm = 1.33 · n · ⌈log₂(1/p) + 6.6⌉',
    mostKeys: 3_221_225_466,
    // Three quarters of its cells are in use, with remainders of 30 bits.
    leastRate: (0.75 * KEY_CELLS) / 2 ** 30,
    ...ofBuckets({
      bucketCells: KEY_CELLS,
      hashes: 4,
      // A count.
      otherBits: 2,
      leastBits: 4,
      bucketsFor: optimalDLeftBuckets,
      bitsFor: optimalDLeftRemainderBits,
      expected: expectedDLeftErrorRate,
      options: (buckets, remainderBits) => ({ buckets, remainderBits }),
    }),
  },
  {
    kind: 'fuse',
    className: 'BinaryFuseFilter',
    color: { light: '#b52a5c', dark: '#f58bb0' },
    redis: 'RedisBloomFilter',
    bestFor: 'a complete list, as a small file',
    why:
      'The smallest, for a list that is complete beforehand, and for one of any length as a ShardedFuseFilter, whose ' +
      'size is the same: it is made of all keys at once, and takes no more.',
    formula: 'm = 1.14 · n · ⌈log₂(1/p)⌉ from a million keys on; more for few',
    past: 'complete',
    lines: () => '3',
    mostKeys: 2 ** 31,
    leastRate: 2 ** -32,
    rarer: 'classic',
    buildBits: 8 * 13,
    code: (options) =>
      `const filter = BinaryFuseFilter.from(['ada', 'grace'], ${options});\nfilter.has('ada'); // true`,
    shapeFor: (capacity, errorRate) => ({
      cells: optimalFuseCells(capacity),
      cellBits: optimalFuseFingerprintBits(errorRate),
      hashes: 3,
    }),
    rateAt: (count, { cellBits }) => (count === 0 ? 0 : 2 ** -cellBits),
    sizing: {
      shapeOf(bits, capacity) {
        const cells = optimalFuseCells(capacity);
        return { cells, cellBits: widthIn(bits, cells, 1), hashes: 3 };
      },
      options: ({ cellBits }) => ({ fingerprintBits: cellBits }),
    },
  },
  {
    kind: 'tombstone',
    className: 'TombstoneFilter',
    color: { light: '#5f5f6e', dark: '#b5b5c6' },
    anchor: 'removing-from-any-kind',
    hasCommand: false,
    bestFor: 'removing a few keys, from a filter of any kind',
    why: 'It stands around a filter of any other kind, here a classic one, and keeps the removed keys: here 1 % of all.',
    formula: 'the bits of its base, and for each removed key 16 bytes in a file and 18 to 32 in memory',
    past: 'errs',
    removes: true,
    lines: (hashes) => `up to ${hashes + 1}`,
    leastRate: LEAST_OF_HASHES,
    isDrawnAlone: true,
    headerBytes: usual.headerBytes + 64,
    code: (options) =>
      `const filter = new TombstoneFilter(new BloomFilter(${options}));\nfilter.add('ada');\nfilter.remove('ada');\nfilter.has('ada'); // false`,
    shapeFor: (capacity, errorRate) => ({
      ...classicShape(capacity, errorRate),
      removed: Math.ceil(REMOVED_SHARE * capacity),
    }),
    rateAt: classicRate,
  },
  {
    kind: 'scalable',
    className: 'ScalableBloomFilter',
    color: { light: '#4f7010', dark: '#a9cc5c' },
    anchor: 'growing',
    bestFor: 'keys of an unknown number: it grows',
    why: 'It grows with its keys, and keeps its error rate. This is its size before it does: the capacity is a first guess.',
    formula: 'classic filters: the first for n keys at 0.3 · p, each further one for twice as many at 0.7 of that',
    past: 'grows',
    lines: (hashes) => `up to ${hashes} a sub-filter`,
    leastRate: LEAST_OF_HASHES / FIRST_SUB_FILTER,
    // With one sub-filter.
    headerBytes: usual.headerBytes + 64,
    shapeFor(capacity, errorRate) {
      const { cells, hashes } = classicShape(Math.max(capacity, LEAST_KEYS), errorRate * FIRST_SUB_FILTER);
      return { cells: LINE_BITS * Math.ceil(cells / LINE_BITS), cellBits: 1, hashes };
    },
  },
  {
    kind: 'rotating',
    className: 'RotatingBloomFilter',
    color: { light: '#0f6f86', dark: '#5cc5de' },
    anchor: 'forgetting',
    redis: 'RotatingRedisBloomFilter',
    bestFor: 'the latest keys only: it forgets the oldest',
    why: 'It remembers at least the latest keys, as many as its capacity, and forgets older ones. Its size stays.',
    formula: 'four generations of a blocked filter, each for n/3 keys at 1 − (1 − p)^¼',
    past: 'forgets',
    lines: () => '4',
    leastRate: GENERATIONS / 1e5,
    rarer: 'scalable',
    shapeFor(capacity, errorRate) {
      const rateOfGeneration = -Math.expm1(Math.log1p(-errorRate) / GENERATIONS);
      const blocks = optimalBlocks(Math.ceil(capacity / (GENERATIONS - 1)), rateOfGeneration);
      return { cells: GENERATIONS * blocks * BLOCK_BITS, cellBits: 1, hashes: 8 };
    },
  },
  {
    kind: 'stable',
    className: 'StableBloomFilter',
    color: { light: '#9a4a3c', dark: '#e89a8b' },
    bestFor: 'streams where missing some duplicates is fine: it forgets at random',
    why: 'It forgets any key: of those that came so many keys ago, it remembers nine of ten. A rotating one does better.',
    formula: 'cells of 2 bits, so many that nine of ten keys are remembered n additions later',
    past: 'forgets',
    lines: (hashes) => `up to ${hashes}`,
    leastRate: LEAST_OF_HASHES,
    isDrawnAlone: true,
    leavesPlot: true,
    shapeFor(capacity, errorRate) {
      const { cells, cellBits, hashes } = optimalStableSize(capacity, errorRate);
      return { cells, cellBits, hashes };
    },
  },
  {
    kind: 'spatial',
    className: 'SpatialBloomFilter',
    color: { light: '#4a55a8', dark: '#a5aef0' },
    hasCommand: false,
    bestFor: `which of ${LABELS} sets a key is in`,
    why: `It tells in which of up to ${LABELS} sets a key is. With up to 15 sets it takes half of this, with up to 3 a quarter.`,
    formula: 'm = 8 · n · log₂(1/p) / ln 2; k = log₂(1/p)',
    isDrawnAlone: true,
    leavesPlot: true,
    moreOptions: { labels: LABELS },
    code: (options) =>
      `const filter = new SpatialBloomFilter(${options});\nfilter.add('ada', 7);\nfilter.labelOf('ada'); // 7: the label of its set`,
    // A label takes 8 bits.
    ...ofCells(8, ({ cells, hashes }) => ({ cells, hashes })),
    headerBytes: usual.headerBytes,
  },
];

export const kinds: readonly KindRow[] = rows.map((row) => ({
  ...usual,
  entry: `bloomery/${row.kind}`,
  anchor: row.kind,
  ...row,
}));

export function kindNamed(name: string | null): KindRow | undefined {
  return kinds.find(({ kind }) => kind === name);
}

/** The row of a kind. `name` must be that of a row. */
export function rowNamed(name: string): KindRow {
  return kindNamed(name) as KindRow;
}
