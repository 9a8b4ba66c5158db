import { BoundedCells, type BoundedKind, REFUSED } from '../filters/bounded-cells.ts';
import type { Saved } from '../format/header.ts';
import type { CuckooExports } from '../kernel/generated/cuckoo/exports.ts';
import { textOf, writeKey } from '../keys/encode.ts';
import type { Key } from '../keys/key.ts';
import {
  BUCKET_SLOTS,
  capacityOf,
  expectedCuckooErrorRate,
  FINGERPRINT_BITS,
  leastCuckooErrorRate,
  MAX_BUCKETS,
  optimalBuckets,
  optimalFingerprintBits,
  requireBuckets,
  requireFingerprintBits,
} from './cuckoo-sizing.ts';

/** The number of buckets that may hold a key. */
const BUCKETS_PER_KEY = 2;

const sizeOf = (buckets: number, cellBits: number) => ({
  cellCount: BUCKET_SLOTS * buckets,
  hashes: BUCKETS_PER_KEY,
  cellBits,
});

export const CUCKOO: BoundedKind<CuckooExports> = {
  id: 7,
  name: 'cuckoo',
  className: 'CuckooFilter',
  traits: {
    removes: true,
    canBeFull: true,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: leastCuckooErrorRate,
  },
  cellName: 'slots',
  cellBits: FINGERPRINT_BITS,
  allows: ({ cellCount, hashes }) =>
    hashes === BUCKETS_PER_KEY && cellCount % (2 * BUCKET_SLOTS) === 0 && cellCount <= BUCKET_SLOTS * MAX_BUCKETS,
  sizes: ['buckets', 'fingerprintBits'],
  sizeFor: (capacity, errorRate) => sizeOf(optimalBuckets(capacity), optimalFingerprintBits(capacity, errorRate)),
  sizeOf: ({ buckets, fingerprintBits }) => sizeOf(requireBuckets(buckets), requireFingerprintBits(fingerprintBits)),
  errorRateAt: (count, { cellCount }, cellBits) => expectedCuckooErrorRate(count, cellCount / BUCKET_SLOTS, cellBits),
  cellsOf: (saved: Saved) => new Slots(saved),
  functions: {
    add: (kernel) => kernel.cuckoo_add,
    addAbsent: (kernel) => kernel.cuckoo_add_absent,
    has: (kernel) => kernel.cuckoo_has,
    remove: (kernel) => kernel.cuckoo_remove,
    removeKey: (kernel) => kernel.cuckoo_remove_key,
    count: (kernel) => kernel.cuckoo_count,
    countKey: (kernel) => kernel.cuckoo_count_key,
    merge: (kernel) => kernel.cuckoo_merge,
    stored: (kernel) => kernel.cuckoo_used,
  },
  mostCopies: BUCKETS_PER_KEY * BUCKET_SLOTS,
  capacityOf,
};

/**
 * Buckets of four slots. A slot is empty or holds a key's fingerprint, which the linked module computes from its hash.
 */
export class Slots extends BoundedCells<CuckooExports> {
  constructor(saved: Saved) {
    super(saved, saved.parameters.cellCount / BUCKET_SLOTS);
  }

  get kind(): BoundedKind<CuckooExports> {
    return CUCKOO;
  }

  addKey(key: Key): boolean {
    const { region, seed, buckets, cellBits } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.addHashed(key);
    const { kernel, scratch } = instance;
    const answer = kernel.cuckoo_add_key(region.pointer, buckets, cellBits, text, scratch.keys, length, seed);
    if (answer === REFUSED) throw this.fullFor(key);
    this.change++;
    return answer === 1;
  }

  hasKey(key: Key): boolean {
    const { region, seed, buckets, cellBits } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    return kernel.cuckoo_has_key(region.pointer, buckets, cellBits, text, scratch.keys, length, seed) === 1;
  }

  /** The number of slots in use: each holds one key. */
  override used(): number {
    return this.stored();
  }
}
