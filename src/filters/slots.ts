import type { Saved } from '../format/header.ts';
import type { CuckooExports } from '../kernel/generated/cuckoo/exports.ts';
import { CHUNK_BYTES } from '../kernel/scratch.ts';
import { textOf, writeKey } from '../keys/encode.ts';
import type { Key } from '../keys/key.ts';
import {
  BUCKET_SLOTS,
  capacityOf,
  expectedCuckooErrorRate,
  FINGERPRINT_BITS,
  MAX_BUCKETS,
  optimalBuckets,
  optimalFingerprintBits,
  requireBuckets,
  requireFingerprintBits,
} from '../sizing-cuckoo.ts';
import { GrowingCells } from './cells.ts';
import type { Kind } from './kind.ts';

/** The number of buckets in which a key may be. */
const BUCKETS_PER_KEY = 2;
/** The most copies of a key. */
const MAX_COPIES: number = BUCKETS_PER_KEY * BUCKET_SLOTS;
/** What the kernel returns for a key for which there is no room. */
const REFUSED = 2;

const sizeOf = (buckets: number, cellBits: number) => ({
  cellCount: BUCKET_SLOTS * buckets,
  hashes: BUCKETS_PER_KEY,
  cellBits,
});

export const CUCKOO: Kind<Slots> = {
  id: 7,
  name: 'cuckoo',
  className: 'CuckooFilter',
  cellName: 'slots',
  cellBits: FINGERPRINT_BITS,
  allows: ({ cellCount, hashes }) =>
    hashes === BUCKETS_PER_KEY && cellCount % (2 * BUCKET_SLOTS) === 0 && cellCount <= BUCKET_SLOTS * MAX_BUCKETS,
  sizes: ['buckets', 'fingerprintBits'],
  sizeFor: (capacity, errorRate) => sizeOf(optimalBuckets(capacity), optimalFingerprintBits(capacity, errorRate)),
  sizeOf: ({ buckets, fingerprintBits }) => sizeOf(requireBuckets(buckets), requireFingerprintBits(fingerprintBits)),
  errorRateAt: (count, { cellCount }, cellBits) => expectedCuckooErrorRate(count, cellCount / BUCKET_SLOTS, cellBits),
  cellsOf: (saved: Saved<CuckooExports>) => new Slots(saved),
};

/** Buckets of four slots, each of which may hold the fingerprint of a key. The linked module derives where. */
export class Slots extends GrowingCells<CuckooExports> {
  readonly buckets: number;
  /** The number of keys stored since the cells were made, less those removed. */
  #change = 0;
  /** The number of slots that were in use before that, once they have been counted. */
  #before: number | undefined;

  constructor(saved: Saved<CuckooExports>) {
    super(saved);
    this.buckets = saved.parameters.cellCount / BUCKET_SLOTS;
  }

  get kind(): Kind<Slots> {
    return CUCKOO;
  }

  /** The number of keys that the filter is made for. */
  get capacity(): number {
    return this.parameters.capacity || capacityOf(this.buckets);
  }

  /** The error for a key for which there is no room, given how often it is stored. */
  #full(name: string, copies: number): RangeError {
    const { parameters, capacity } = this;
    const reason =
      copies === MAX_COPIES
        ? `its fingerprint is stored ${MAX_COPIES} times already, in all slots of its buckets`
        : `the filter is full, with ${this.used()} of ${parameters.cellCount} slots in use, made for ${capacity} keys`;
    return new RangeError(`${name} does not fit: ${reason}`);
  }

  /** The error for the hash at this position in the scratch. */
  #fullAt(position: number, before: number): RangeError {
    const { region, buckets, cellBits } = this;
    const { kernel, scratch } = region.instance;
    const copies = kernel.cuckoo_count(region.pointer, buckets, cellBits, scratch.hashes + 16 * position);
    return this.#full(`keys[${before + position}]`, copies);
  }

  add(count: number, before: number): void {
    const { region, buckets, cellBits } = this;
    const { kernel, scratch } = region.instance;
    const added = kernel.cuckoo_add(region.pointer, buckets, cellBits, scratch.hashes, count, scratch.flags);
    this.#change += added;
    if (added < count) throw this.#fullAt(added, before);
  }

  addFlags(count: number, before: number): void {
    this.add(count, before);
  }

  /** Adds those of the first `count` hashes in the scratch that look absent, and flags them with 1. */
  addAbsent(count: number, before: number): void {
    const { region, buckets, cellBits } = this;
    const { kernel, scratch } = region.instance;
    const passed = kernel.cuckoo_add_absent(region.pointer, buckets, cellBits, scratch.hashes, count, scratch.flags);
    for (let i = 0; i < passed; i++) this.#change += scratch.flagBytes[i] as number;
    if (passed < count) throw this.#fullAt(passed, before);
  }

  has(count: number): number {
    const { region, buckets, cellBits } = this;
    const { kernel, scratch } = region.instance;
    return kernel.cuckoo_has(region.pointer, buckets, cellBits, scratch.hashes, count, scratch.flags);
  }

  /** Removes the first `count` hashes in the scratch that look present, each once, and flags these with 1. */
  remove(count: number): number {
    const { region, buckets, cellBits } = this;
    const { kernel, scratch } = region.instance;
    const removed = kernel.cuckoo_remove(region.pointer, buckets, cellBits, scratch.hashes, count, scratch.flags);
    this.#change -= removed;
    return removed;
  }

  addKey(key: Key): boolean {
    const { region, seed, buckets, cellBits } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    const { kernel, scratch } = instance;
    const { pointer } = region;
    let answer: number | undefined = REFUSED;
    if (length >= 0) {
      answer = kernel.cuckoo_add_key(pointer, buckets, cellBits, text, scratch.keys, length, seed);
    } else if (kernel.cuckoo_add(pointer, buckets, cellBits, scratch.hashes, 1, scratch.flags) === 1) {
      answer = scratch.flagBytes[0];
    }
    if (answer === REFUSED) throw this.#full('key', this.countOf(key));
    this.#change++;
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

  removeKey(key: Key): boolean {
    const { region, seed, buckets, cellBits } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.remove(1) === 1;
    const { kernel, scratch } = instance;
    const removed = kernel.cuckoo_remove_key(region.pointer, buckets, cellBits, text, scratch.keys, length, seed);
    this.#change -= removed;
    return removed === 1;
  }

  countOf(key: Key): number {
    const { region, seed, buckets, cellBits } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    const { kernel, scratch } = instance;
    if (length < 0) return kernel.cuckoo_count(region.pointer, buckets, cellBits, scratch.hashes);
    return kernel.cuckoo_count_key(region.pointer, buckets, cellBits, text, scratch.keys, length, seed);
  }

  /** The number of slots in use. Reads them all the first time. */
  override used(): number {
    const { region, buckets, cellBits } = this;
    const { kernel } = region.instance;
    this.#before ??= kernel.cuckoo_used(region.pointer, buckets, cellBits) - this.#change;
    return this.#before + this.#change;
  }

  /**
   * Stores the entries of other cells of this size. Throws a RangeError if there is no room for one; then some of those
   * before it are stored.
   */
  merge(others: Slots): void {
    const { region, buckets, cellBits } = this;
    const { kernel, scratch } = region.instance;
    const before = this.used();
    const added = others.used();
    const bytes = others.region.bytes;
    // Two buckets are as many bytes as a fingerprint has bits.
    const step = 2 * Math.floor(CHUNK_BYTES / cellBits);
    for (let from = 0; from < buckets; from += step) {
      const count = Math.min(step, buckets - from);
      scratch.keyBytes.set(bytes.subarray((from * cellBits) / 2, ((from + count) * cellBits) / 2));
      const refused = kernel.cuckoo_merge(region.pointer, buckets, cellBits, from, scratch.keys, count);
      if (refused === 0) continue;
      const { capacity, parameters } = this;
      const reason =
        refused > MAX_COPIES
          ? `a fingerprint would be stored more than ${MAX_COPIES} times, in all slots of its buckets`
          : `no room for its ${added} keys beside ${before} in ${parameters.cellCount} slots, made for ${capacity} keys`;
      throw new RangeError(`other does not fit: ${reason}`);
    }
    this.#change += added;
  }

  /** Takes over the entries of other cells of this size. */
  replaceWith(others: Slots): void {
    this.region.bytes.set(others.region.bytes);
    this.#before = others.used();
    this.#change = 0;
  }

  /** Empties all slots. */
  clear(): void {
    this.region.clear();
    this.#before = 0;
    this.#change = 0;
  }
}
