// Filters of the package `bloomfilter`.

import { nameOf } from '../keys/key.ts';
import { SavedFilterError } from '../util/checks/errors.ts';
import { arrayError, lengthOf, typedArrayName } from '../util/checks/typed-arrays.ts';
import { isObject, mustBe, requireInteger, show } from '../util/checks/validate.ts';
import { BitCells, MOST_BITS, MOST_HASHES } from './bit-cells.ts';
import { MigratedFilter } from './migrated-filter.ts';

/** What `toJSON` of `bloomfilter` 1.1.0 gives. */
export interface SavedBloomfilter {
  /** The version of this form, 1. */
  readonly version?: number;
  /** The number of bits: 32 for each bucket. */
  readonly m?: number;
  /** The number of hashes. */
  readonly k: number;
  readonly buckets: BloomfilterBuckets;
}

/** The buckets of a `bloomfilter`: 32-bit integers, with or without a sign, in an array or as they are. */
export type BloomfilterBuckets = readonly number[] | Int32Array | Uint32Array;

/** The keys of a filter of `bloomfilter`. A number is the same key as the string that it is printed as. */
export type BloomfilterKey = string | number | bigint;

/** The version of the JSON that is read. */
const VERSION = 1;

function requireText(key: BloomfilterKey, position: number | undefined): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'number' || typeof key === 'bigint') return String(key);
  const hint = ': bloomfilter makes a string of any key, so pass String(key)';
  throw new TypeError(mustBe(nameOf(position), 'a string, a number or a bigint', key) + hint);
}

/** Hashes a string with 64-bit FNV-1a, of which each step takes a whole UTF-16 unit, and not a byte. */
class BloomfilterReader extends MigratedFilter<BloomfilterKey> {
  readonly #modulus: number;

  constructor(cells: BitCells) {
    super(cells);
    this.#modulus = cells.shape.modulus;
  }

  protected override find(key: BloomfilterKey, position?: number): boolean {
    const text = requireText(key, position);
    let low = 0x84222325 | 0;
    let high = 0xcbf29ce4 | 0;
    for (let i = 0; i < text.length; i++) {
      low ^= text.charCodeAt(i);
      // The prime is 2^40 + 435. The product with 435 is cut in halves, so that it fits 32 bits.
      const part = (low & 0xffff) * 435;
      const rest = (low >>> 16) * 435 + (part >>> 16);
      high = (Math.imul(high, 435) + (rest >>> 16) + (low << 8)) | 0;
      low = (rest << 16) | (part & 0xffff);
    }
    return this.holds(this.#residue(high), this.#residue(low));
  }

  /** The residue of a signed integer, from 0 on. */
  #residue(half: number): number {
    const residue = half % this.#modulus;
    return residue < 0 ? residue + this.#modulus : residue + 0;
  }
}

/** Whether a value is an array, or a typed array that the package saves. Others may say any length. */
function isBuckets(value: unknown): value is BloomfilterBuckets {
  return Array.isArray(value) || ['Int32Array', 'Uint32Array'].includes(String(typedArrayName(value)));
}

/** Whether a value is an integer of 32 bits, with or without a sign. */
function isWord(value: unknown): boolean {
  return typeof value === 'number' && ((value | 0) === value || value >>> 0 === value);
}

/** The number of buckets, all of which are right. */
function requireBuckets(name: string, buckets: BloomfilterBuckets): number {
  const length = Array.isArray(buckets) ? buckets.length : lengthOf(buckets as Int32Array);
  if (length === 0) throw arrayError(name, 'an array of one bucket or more', buckets);
  requireInteger(`${name}.length`, length, 1, MOST_BITS / 32);
  // Before memory is allocated, because an array may have a length and no members.
  for (let i = 0; i < length; i++) {
    if (!isWord(buckets[i])) requireInteger(`${name}[${i}]`, buckets[i], -(2 ** 31), 2 ** 32 - 1);
  }
  return length;
}

function readBuckets(name: string, buckets: unknown, hashes: number): MigratedFilter<BloomfilterKey> {
  if (!isBuckets(buckets)) throw arrayError(name, 'an array, an Int32Array or a Uint32Array of buckets', buckets);
  const length = requireBuckets(name, buckets);
  const cells = new BitCells({ modulus: 32 * length, hashes, isSliced: false });
  for (let i = 0; i < length; i++) cells.words[i] = buckets[i] as number;
  return new BloomfilterReader(cells);
}

/** Reads the JSON of `toJSON`. */
function readJson({ version, m, k, buckets }: Partial<SavedBloomfilter>): MigratedFilter<BloomfilterKey> {
  if (version !== undefined && version !== VERSION) {
    const error = new SavedFilterError(`it has version ${show(version)}`, 'VERSION');
    error.message = mustBe('saved.version', String(VERSION), version);
    throw error;
  }
  const hashes = requireInteger('saved.k', k, 1, MOST_HASHES);
  const filter = readBuckets('saved.buckets', buckets, hashes);
  if (m !== undefined && m !== filter.bits) throw new RangeError(mustBe('saved.m', `${filter.bits}`, m));
  return filter;
}

const WANTED = 'buckets, such as [].slice.call(filter.buckets), or what toJSON gives';

/**
 * Reads a filter of the package `bloomfilter`, version 1.1.0 or 0.0.21, from its buckets. They do not contain the number
 * of hashes: it is the one that the filter was made with.
 *
 * **Older versions hash otherwise**, and their buckets look the same: if a key that was added looks absent, the filter is
 * of such a version, or the number of hashes is another one.
 *
 * ```ts
 * const taken = fromBloomfilter(JSON.parse(text), 7); // text: JSON.stringify([].slice.call(filter.buckets))
 * taken.has('ada');
 * ```
 *
 * @param buckets the 32-bit integers of `filter.buckets`, as an array or as they are; copied
 * @param hashes the number of hashes, `filter.k`, 1 … 65535
 * @throws TypeError or RangeError if an argument or a bucket has the wrong type or is out of range
 */
export function fromBloomfilter(buckets: BloomfilterBuckets, hashes: number): MigratedFilter<BloomfilterKey>;
/**
 * Reads a filter of the package `bloomfilter`, version 1.1.0, from what its `toJSON` gives.
 *
 * @throws TypeError or RangeError if a field has the wrong type or is out of range; SavedFilterError with the code
 *   `VERSION` if a later version has saved it
 */
export function fromBloomfilter(saved: SavedBloomfilter): MigratedFilter<BloomfilterKey>;
export function fromBloomfilter(
  saved: BloomfilterBuckets | SavedBloomfilter,
  hashes?: number,
): MigratedFilter<BloomfilterKey> {
  if (!isObject(saved)) {
    const hint = typeof saved === 'string' ? ': pass JSON.parse(text)' : '';
    throw new TypeError(mustBe('saved', WANTED, saved) + hint);
  }
  if (isBuckets(saved)) return readBuckets('buckets', saved, requireInteger('hashes', hashes, 1, MOST_HASHES));
  if (!('buckets' in saved)) throw arrayError('saved', WANTED, saved);
  if (hashes === undefined) return readJson(saved);
  throw new TypeError(mustBe('hashes', 'undefined, because saved.k has it', hashes));
}
