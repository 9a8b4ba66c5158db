// Filters of the package `bloom-filters`.

import { isBytes, nameOf, requireBytes } from '../keys/key.ts';
import { SavedFilterError, type SavedFilterErrorCode } from '../util/checks/errors.ts';
import { arrayError } from '../util/checks/typed-arrays.ts';
import { isObject, mustBe, requireInteger } from '../util/checks/validate.ts';
import { base64Length, decodeBase64 } from './base64.ts';
import { BitCells, MOST_BITS, MOST_HASHES } from './bit-cells.ts';
import { MigratedFilter } from './migrated-filter.ts';
import { TwoHashes } from './xxh64.ts';

/** The keys of a filter of `bloom-filters`: strings, and bytes, which it takes as a Buffer. */
export type BloomFiltersKey = string | Uint8Array;

/** What `saveAsJSON` of `bloom-filters` gives for one of its filters. */
export interface SavedBloomFilters {
  /** The name of the class: BloomFilter, CountingBloomFilter or PartitionedBloomFilter. */
  readonly type: string;
}

/** Fields that have not been checked. */
type Fields = Readonly<Record<string, unknown>>;

/** What else the package has, and this entry does not read. */
const OTHERS = [
  'ScalableBloomFilter',
  'XorFilter',
  'CuckooFilter',
  'InvertibleBloomFilter',
  'Cell',
  'CountMinSketch',
  'HyperLogLog',
  'TopK',
  'MinHash',
];

/** The seed that the package takes for 0. */
const DEFAULT_SEED = 0x1234567890;

function refuse(name: string, reason: string, code: SavedFilterErrorCode, kind?: string): never {
  const error = new SavedFilterError(reason, code, kind);
  error.message = `${name} must be saved by bloom-filters 2 or 3: ${reason}`;
  throw error;
}

/** Hashes a key with XXH64 under two seeds. The package takes the lower half of each hash. */
class BloomFiltersReader extends MigratedFilter<BloomFiltersKey> {
  readonly #modulus: number;
  readonly #hashes: TwoHashes;

  constructor(cells: BitCells, seed: number) {
    super(cells);
    this.#modulus = cells.shape.modulus;
    this.#hashes = new TwoHashes([seed + 1 || DEFAULT_SEED, seed + 2 || DEFAULT_SEED]);
  }

  protected override find(key: BloomFiltersKey, position?: number): boolean {
    const hashes = this.#hashes;
    if (typeof key === 'string') hashes.hashText(key);
    else if (isBytes(key)) hashes.hashBytes(requireBytes(nameOf(position), key));
    else throw arrayError(nameOf(position), 'a string or a Uint8Array', key, hintFor(key));
    return this.holds((hashes.first >>> 0) % this.#modulus, (hashes.second >>> 0) % this.#modulus);
  }
}

function hintFor(key: unknown): string {
  if (key instanceof ArrayBuffer) return ': pass new Uint8Array(key)';
  return typeof key === 'number' ? ': bloom-filters hashes all numbers alike' : '';
}

/** Returns the object that a field holds. */
function requireObject(name: string, value: unknown, hint = ''): Fields {
  if (isObject(value) && !Array.isArray(value)) return value as Fields;
  throw new TypeError(mustBe(name, 'an object', value) + hint);
}

function requireArray(name: string, value: unknown, length: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(mustBe(name, 'an array', value));
  if (value.length !== length) refuse(name, `it has ${value.length} of ${length} elements`, 'DAMAGED');
  return value;
}

/** The text of a set of bits, which has the right length. Nothing has been allocated for it. */
function requireContent(name: string, set: unknown, bits: number): string {
  if (Array.isArray(set)) refuse(name, 'it is of an older version, which hashes otherwise', 'VERSION');
  const { size, content } = requireObject(name, set);
  const bytes = Math.ceil(bits / 8);
  requireInteger(`${name}.size`, size, 1, MOST_BITS);
  if (size !== 8 * bytes) refuse(name, `it has ${String(size)} of ${8 * bytes} bits`, 'DAMAGED');
  if (typeof content !== 'string') throw new TypeError(mustBe(`${name}.content`, 'a string', content));
  const wanted = base64Length(bytes);
  if (content.length === wanted) return content;
  const code = content.length < wanted ? 'TRUNCATED' : 'DAMAGED';
  return refuse(name, `it has ${content.length} of ${wanted} characters`, code);
}

function readContent(name: string, content: string, bits: number, words: Int32Array): void {
  const wrong = decodeBase64(content, Math.ceil(bits / 8), words);
  if (wrong >= 0) refuse(name, `character ${wrong} is not base64`, 'DAMAGED');
  const last = words[words.length - 1] as number;
  if (bits % 32 > 0 && last >>> (bits % 32) !== 0) refuse(name, 'its padding bits are not zero', 'DAMAGED');
}

function readClassic({ _size, _filter }: Fields, hashes: number): BitCells {
  const modulus = requireInteger('json._size', _size, 1, MOST_BITS);
  const content = requireContent('json._filter', _filter, modulus);
  const cells = new BitCells({ modulus, hashes, isSliced: false });
  readContent('json._filter', content, modulus, cells.words);
  return cells;
}

/** The first of a pair: 0 or 1. */
function flagOf(pair: unknown, index: number): number {
  if (Array.isArray(pair) && pair.length === 2 && (pair[0] === 0 || pair[0] === 1)) return pair[0];
  const name = `json._filter[${index}]`;
  return requireInteger(`${name}[0]`, requireArray(name, pair, 2)[0], 0, 1);
}

/** A filter with counters: pairs of 1, or 0 if the count is 0, and the count. */
function readCounting({ _size, _filter }: Fields, hashes: number): BitCells {
  const modulus = requireInteger('json._size', _size, 1, MOST_BITS);
  const pairs = requireArray('json._filter', _filter, modulus);
  // Before memory is allocated, because an array may have a length and no elements.
  for (let i = 0; i < modulus; i++) flagOf(pairs[i], i);
  const cells = new BitCells({ modulus, hashes, isSliced: false });
  const { words } = cells;
  for (let i = 0; i < modulus; i++) words[i >>> 5] = (words[i >>> 5] as number) | (flagOf(pairs[i], i) << (i & 31));
  return cells;
}

/** A filter with bits of their own for each hash. */
function readPartitioned({ _m, _filter }: Fields, hashes: number): BitCells {
  const modulus = requireInteger('json._m', _m, 1, Math.floor(MOST_BITS / hashes));
  const sets = requireArray('json._filter', _filter, hashes);
  const contents = Array.from(sets, (set, i) => requireContent(`json._filter[${i}]`, set, modulus));
  const cells = new BitCells({ modulus, hashes, isSliced: true });
  for (const [i, content] of contents.entries()) {
    readContent(`json._filter[${i}]`, content, modulus, cells.slice(i));
  }
  return cells;
}

const readers: ReadonlyMap<unknown, (json: Fields, hashes: number) => BitCells> = new Map([
  ['BloomFilter', readClassic],
  ['CountingBloomFilter', readCounting],
  ['PartitionedBloomFilter', readPartitioned],
]);

/**
 * Reads a filter of the package `bloom-filters`, from what its `saveAsJSON` gives: a BloomFilter or a CountingBloomFilter of
 * version 2 or 3, or a PartitionedBloomFilter of version 3.
 *
 * **A CountingBloomFilter of version 1 looks the same and hashes otherwise:** the keys that were added look absent. The
 * other two are refused if an older version has saved them.
 *
 * ```ts
 * const taken = fromBloomFilters(JSON.parse(text)); // text: JSON.stringify(filter.saveAsJSON())
 * taken.has('ada');
 * ```
 *
 * @param json the object that `saveAsJSON` gives, or that `JSON.parse` makes of its text; copied
 * @throws SavedFilterError if it is something else, of another kind or version, or not whole
 * @throws TypeError or RangeError if it is not an object, or if a field has the wrong type or is out of range
 */
export function fromBloomFilters(json: SavedBloomFilters): MigratedFilter<BloomFiltersKey> {
  const fields: Fields = requireObject('json', json, typeof json === 'string' ? ': pass JSON.parse(text)' : '');
  const { type, _nbHashes, _seed } = fields;
  const read = readers.get(type);
  if (!read) {
    const [other] = OTHERS.filter((name) => name === type);
    if (other !== undefined) refuse('json', `it is a ${other}, which is not read`, 'KIND', other);
    refuse('json', mustBe('its type', 'BloomFilter, CountingBloomFilter or PartitionedBloomFilter', type), 'FOREIGN');
  }
  const hashes = requireInteger('json._nbHashes', _nbHashes, 1, MOST_HASHES);
  if (typeof _seed !== 'number') throw new TypeError(mustBe('json._seed', 'a number', _seed));
  if (!Number.isFinite(_seed)) throw new RangeError(mustBe('json._seed', 'a finite number', _seed));
  return new BloomFiltersReader(read(fields, hashes), _seed);
}
