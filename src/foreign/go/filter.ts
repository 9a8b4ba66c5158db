import type { PromiseOptions, Without } from '../../filters/filter-options.ts';
import { CELLS, type FilterClass, KIND, type Size } from '../../filters/kind.ts';
import { FOREIGN_KIND, type Saved } from '../../format/header.ts';
import { textOf } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import { SavedFilterError, type SavedFilterErrorCode } from '../../util/checks/errors.ts';
import { isObject, mustBe, requireInteger, requireRate } from '../../util/checks/validate.ts';
import { base64Length, fromBase64, toBase64 } from '../base64.ts';
import {
  ForeignCells,
  type ForeignFile,
  ForeignFilter,
  type ForeignKind,
  readForeign,
  requireForeign,
  requireNoOptions,
  requireNoSeed,
} from '../foreign-filter.ts';
import { type KeyRules, writeRuledKey } from '../key-rules.ts';

/** The options of a `GoBloomFilter`: a capacity and an error rate, or the numbers of bits and hashes. */
export type GoBloomFilterOptions =
  | (Omit<PromiseOptions, 'seed'> & Without<'bits' | 'hashes'>)
  | ({
      /** The number of bits m, 1 … 2^53 − 1. */
      bits: number;
      /** The number of bits k that each key sets, 1 … 65,535. */
      hashes: number;
    } & Without<'capacity' | 'errorRate'>);

/** What the library writes as JSON. */
export interface GoBloomFilterJson {
  /** The number of bits. */
  readonly m: number;
  /** The number of hashes. */
  readonly k: number;
  /** The length of the bit set and its words, in base64. */
  readonly b: string;
}

/** The library sets no limit. It computes fewer than this for any error rate, and more take long to look up. */
const MAX_HASHES = 65_535;

/**
 * The size that `NewWithEstimates` chooses: `ceil(−n ln p / (ln 2)²)` bits and `ceil(ln 2 · m / n)` hashes.
 *
 * @see https://github.com/bits-and-blooms/bloom, `EstimateParameters`
 */
function sizeFor(capacity: number, errorRate: number, options: Readonly<Record<string, unknown>>): Size {
  requireNoSeed(options);
  requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
  requireRate('errorRate', errorRate);
  const bits = Math.ceil((-capacity * Math.log(errorRate)) / (Math.LN2 * Math.LN2));
  if (bits <= Number.MAX_SAFE_INTEGER) return { cellCount: bits, hashes: Math.ceil((Math.LN2 * bits) / capacity) };
  throw new RangeError(`capacity ${capacity} at errorRate ${errorRate} needs more than 2^53 - 1 bits`);
}

function requireGo(holds: boolean, reason: string, code?: SavedFilterErrorCode): void {
  requireForeign(holds, GO.system, reason, code);
}

// What `WriteTo` and `MarshalBinary` write: m and k; then the bit set, which is its length and its words. All are 64-bit
// integers, highest byte first, but the bit set is the other way round after a call of `bitset.LittleEndian()`.

const SET_AT = 16;
const WORDS_AT = 24;

function headBytes(bits: number, hashes: number, length: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(WORDS_AT));
  view.setBigUint64(0, BigInt(bits));
  view.setBigUint64(8, BigInt(hashes));
  view.setBigUint64(SET_AT, BigInt(length));
  return new Uint8Array(view.buffer);
}

/** The own parameters of a filter of `New(0, 0)`: it has one bit, but its bit set is empty until a key is added. */
const UNSET: object = /* @__PURE__ */ Object.freeze({});

function readHead(bytes: Uint8Array, options: unknown): ForeignFile {
  requireNoOptions(options);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  requireGo(bytes.length >= WORDS_AT, 'they end in the header', 'TRUNCATED');
  const bits = Number(view.getBigUint64(0));
  const hashes = Number(view.getBigUint64(8));
  const [length, reversed] = [false, true].map((little) => Number(view.getBigUint64(SET_AT, little)));
  requireGo(bits >= 1 && bits <= Number.MAX_SAFE_INTEGER, `its number of bits is ${bits}`, 'FOREIGN');
  requireGo(hashes >= 1 && hashes <= MAX_HASHES, `its number of hashes is ${hashes}`);
  const parameters = { cellCount: bits, hashes, seed: 0, capacity: 0, errorRate: 0 };
  if (bits === 1 && length === 0) {
    requireGo(bytes.length === WORDS_AT, 'its bit set is empty, and bytes follow');
    return { head: { parameters, cellBits: 1, own: UNSET }, bodyAt: WORDS_AT, cells: new Uint8Array(8) };
  }
  requireGo(length === bits || reversed === bits, `its bit set has ${length} bits, of ${bits}`);
  const hasBigEndianWords = length === bits;
  const lastAt = WORDS_AT + 8 * (Math.ceil(bits / 64) - 1);
  if (lastAt + 8 <= bytes.length) {
    const last = view.getBigUint64(lastAt, !hasBigEndianWords);
    const used = BigInt(bits - 64 * Math.floor((bits - 1) / 64));
    requireGo(last >> used === 0n, 'its padding bits are not zero');
  }
  return { head: { parameters, cellBits: 1, own: undefined }, bodyAt: WORDS_AT, hasBigEndianWords };
}

const GO: ForeignKind = {
  id: FOREIGN_KIND,
  name: 'go',
  className: 'GoBloomFilter',
  system: 'bits-and-blooms',
  traits: {
    removes: false,
    canBeFull: false,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: () => Number.MIN_VALUE,
  },
  cellName: 'bits',
  cellBits: [1, 1],
  sizes: ['bits', 'hashes'],
  sizeFor,
  sizeOf(options) {
    requireNoSeed(options);
    return {
      cellCount: requireInteger('bits', options['bits'], 1, Number.MAX_SAFE_INTEGER),
      hashes: requireInteger('hashes', options['hashes'], 1, MAX_HASHES),
    };
  },
  errorRateAt: (count, { cellCount, hashes }) => (0 - Math.expm1((-hashes * count) / cellCount)) ** hashes,
  cellsOf: (saved) => new GoBits(saved),
  union: (kernel) => kernel.bits_or,
  intersection: (kernel) => kernel.bits_and,
  hasBigEndianWords: true,
  writeHead: ({ parameters: { cellCount, hashes } }) => headBytes(cellCount, hashes, cellCount),
  readHead,
};

const RULES: KeyRules = {
  numbers: undefined,
  keepsKeys: true,
  advice:
    'Go has no integer keys, so pass the bytes that the Go program passes, such as 4 bytes big-endian for a uint32',
};

/** m bits. Each key sets k of them, which the kernel computes from its bytes. */
class GoBits extends ForeignCells {
  constructor(saved: Saved) {
    super(saved, 'go', RULES);
  }

  get kind(): ForeignKind {
    return GO;
  }

  add(count: number): number {
    const { region, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.bloom_add_flags(region.pointer, cellCount, hashes, scratch.hashes, count, scratch.flags);
  }

  addFlags(count: number): number {
    return this.add(count);
  }

  has(count: number): number {
    const { region, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.bloom_has(region.pointer, cellCount, hashes, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    const { region, parameters, rules } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeRuledKey(key, rules, instance, 0) : text.length;
    if (length < 0) return this.add(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.bloom_add_key(region.pointer, cellCount, hashes, text, scratch.keys, length, 0) === 1;
  }

  hasKey(key: Key): boolean {
    const { region, parameters, rules } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeRuledKey(key, rules, instance, 0) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.bloom_has_key(region.pointer, cellCount, hashes, text, scratch.keys, length, 0) === 1;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Makes the bytes of a filter of its text or object in JSON. */
function bytesOfJson(json: unknown): Uint8Array<ArrayBuffer> {
  const isText = typeof json === 'string';
  const value = isText ? parsed(json) : json;
  if (!isObject(value)) {
    if (!isText) throw new TypeError(mustBe('json', 'a string or an object', json));
    throw new SavedFilterError(`not a filter of ${GO.system}: not a JSON object`, 'FOREIGN');
  }
  const { m, k, b } = value as Record<keyof GoBloomFilterJson, unknown>;
  requireGo(Number.isSafeInteger(m) && Number(m) >= 1, mustBe('m', 'an integer from 1 to 2^53 - 1', m));
  // Here, because the head has room for 64 bits only.
  const isCount = Number.isInteger(k) && Number(k) >= 1 && Number(k) <= MAX_HASHES;
  requireGo(isCount, mustBe('k', `an integer from 1 to ${MAX_HASHES}`, k));
  const text = typeof b === 'string' ? b : '';
  requireGo(text !== '', mustBe('b', 'a text in base64', b));
  const most = base64Length(8 + 8 * Math.ceil(Number(m) / 64));
  requireGo(text.length <= most, `b has ${text.length} characters, of at most ${most}`);
  const set = fromBase64(text) ?? new Uint8Array(0);
  requireGo(set.length > 0, 'b is not base64 with padding');
  const bytes = new Uint8Array(SET_AT + set.length);
  bytes.set(headBytes(Number(m), Number(k), 0).subarray(0, SET_AT));
  bytes.set(set, SET_AT);
  return bytes;
}

/**
 * The Bloom filter of `github.com/bits-and-blooms/bloom`, version 3, in Go, and of `willf/bloom` 2: MurmurHash3 as the
 * hash, of each key and of each key with a byte 1 after it.
 *
 * A key is a string, as its UTF-8, or bytes: what the Go program gives to `Add` or `AddString`. Go has no integer keys.
 *
 * `toBytes` and `fromBytes` speak the format of `WriteTo`, `ReadFrom`, `MarshalBinary` and `UnmarshalBinary`.
 * `JSON.stringify(filter)` writes what `json.Marshal` writes, and `fromJSON` reads it.
 *
 * ```ts
 * const filter = GoBloomFilter.fromBytes(await readFile('users.bloom'));
 * filter.has('ada'); // what TestString("ada") returns
 * ```
 *
 * @see https://github.com/bits-and-blooms/bloom
 */
export class GoBloomFilter extends ForeignFilter<GoBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: ForeignKind = GO;
  /** @internal */
  declare readonly [CELLS]: GoBits;

  /**
   * Makes a filter of what the library writes as JSON. Also reads texts of programs that have called
   * `bitset.Base64StdEncoding()` or `bitset.LittleEndian()`.
   *
   * @param json the text, or the object that `JSON.parse` makes of it
   * @throws SavedFilterError unless it is a filter of the library
   * @throws TypeError if it is something else; FilterMemoryError if there is no memory for the filter
   */
  static fromJSON<F extends GoBloomFilter>(this: FilterClass<F>, json: string | GoBloomFilterJson): F {
    return readForeign(this, bytesOfJson(json), undefined);
  }

  /**
   * Returns the object that the library writes as JSON, so that `JSON.stringify(filter)` gives the same text.
   *
   * @throws RangeError if the text is too long for the runtime
   */
  override toJSON(): GoBloomFilterJson {
    return { m: this.cellCount, k: this.hashes, b: toBase64(this.toBytes().subarray(SET_AT)) };
  }

  override *toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    const { own, region, parameters } = this[CELLS];
    const isUnset = own === UNSET && region.bytes[0] === 0;
    if (isUnset) yield headBytes(parameters.cellCount, parameters.hashes, 0);
    else yield* super.toChunks();
  }

  get kind(): 'go' {
    return 'go';
  }

  /** The number of bits m. */
  get bits(): number {
    return this.cellCount;
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }
}
