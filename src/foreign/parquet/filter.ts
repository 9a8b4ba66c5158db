import type { FromOptions, PromiseOptions, Without } from '../../filters/filter-options.ts';
import type { GrowingFilter } from '../../filters/growing-filter.ts';
import { CELLS, type FilterClass, KIND, type Size } from '../../filters/kind.ts';
import { FOREIGN_KIND, type Head, type Saved } from '../../format/header.ts';
import type { CountedKeys, ManyKeys, Picked } from '../../keys/collections.ts';
import { textOf } from '../../keys/encode.ts';
import { type Key, requireBytes } from '../../keys/key.ts';
import {
  BLOCK_BITS,
  expectedBlockedErrorRate,
  MIN_ERROR_RATE,
  optimalBlocks,
  WORDS,
} from '../../kinds/blocked/sizing.ts';
import type { SavedFilterErrorCode } from '../../util/checks/errors.ts';
import { requireOptions } from '../../util/checks/options.ts';
import { mustBe, requireInteger, requireOneOf, requireRate } from '../../util/checks/validate.ts';
import {
  ForeignCells,
  type ForeignFile,
  ForeignFilter,
  type ForeignKind,
  readCells,
  requireForeign,
  requireNoSeed,
} from '../foreign-filter.ts';
import { FLOAT32, FLOAT64, INT32, INT64, type KeyRules, writeRuledKey } from '../key-rules.ts';

/** How number keys are hashed: by the column's physical type. */
export type ParquetNumbers = 'int32' | 'int64' | 'float' | 'double';

type FloatArray = Float32Array | Float64Array;
type PickedFloats<F extends FloatArray> = F extends Float32Array
  ? Float32Array<ArrayBuffer>
  : Float64Array<ArrayBuffer>;

interface ParquetKeyOptions {
  /**
   * The physical type of a column of numbers, which decides how number keys are hashed; default `int64`. Strings and
   * bytes, for columns of the types BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY, are hashed as they are.
   */
  numbers?: ParquetNumbers | undefined;
}

/** The options of a `ParquetBloomFilter`: a capacity and an error rate, or the number of bytes. */
export type ParquetBloomFilterOptions = ParquetKeyOptions &
  (
    | (Omit<PromiseOptions, 'seed'> & {
        /**
         * How the size follows from the capacity: `power-of-two`, the default, is the smallest power of two that keeps
         * the error rate, and `exact` the smallest size, which some readers refuse, Arrow's in C++ among them;
         * `parquet-java` is what that library and others chose, a power of two, 32 bytes … 128 MiB.
         */
        sizing?: 'power-of-two' | 'exact' | 'parquet-java' | undefined;
      } & Without<'bytes'>)
    | ({
        /** The number of bytes, a multiple of 32, 32 … 2^31 − 32. */
        bytes: number;
      } & Without<'capacity' | 'errorRate' | 'sizing'>)
  );

const BLOCK_BYTES = BLOCK_BITS / 8;
/** The header of a filter has its size as a signed 32-bit integer. */
const MAX_BYTES: number = 2 ** 31 - BLOCK_BYTES;
/** The size that parquet-java does not exceed. */
const JAVA_MAX_BYTES: number = 2 ** 27;

const NUMBERS = { int32: INT32, int64: INT64, float: FLOAT32, double: FLOAT64 };

interface ParquetOwn {
  readonly numbers: ParquetNumbers;
}

function ownOf({ numbers = 'int64' }: Readonly<Record<string, unknown>>): ParquetOwn {
  return { numbers: requireOneOf('numbers', numbers, Object.keys(NUMBERS) as ParquetNumbers[]) };
}

function requireParquet(holds: boolean, reason: string, code?: SavedFilterErrorCode): void {
  requireForeign(holds, PARQUET.system, reason, code);
}

/**
 * The size that parquet-java chooses, in bytes: the power of two, 32 … 2^27, that holds `−8n / ln(1 − p^(1/8))` bits.
 *
 * @see https://github.com/apache/parquet-java, `BlockSplitBloomFilter.optimalNumOfBits`
 */
function javaBytes(capacity: number, errorRate: number): number {
  const bits = Math.min(Math.trunc((-8 * capacity) / Math.log(1 - errorRate ** (1 / 8))), 2 ** 30);
  // The library rounds so. To round up to whole blocks, it would have to clear all of the lower 8 bits.
  const rounded = (bits + 255) & ~256;
  const bytes = Math.floor(Math.max(rounded, BLOCK_BITS) / 8);
  return Math.min(JAVA_MAX_BYTES, 2 ** Math.ceil(Math.log2(bytes)));
}

function bytesFor(capacity: number, errorRate: number, sizing: unknown): number {
  if (requireOneOf('sizing', sizing, ['power-of-two', 'exact', 'parquet-java']) === 'parquet-java') {
    requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
    return javaBytes(capacity, requireRate('errorRate', errorRate));
  }
  const least = optimalBlocks(capacity, errorRate) * BLOCK_BYTES;
  const bytes = sizing === 'exact' ? least : 2 ** Math.ceil(Math.log2(least));
  if (bytes <= MAX_BYTES) return bytes;
  throw new RangeError(`capacity ${capacity} at errorRate ${errorRate} needs ${bytes} bytes, of at most ${MAX_BYTES}`);
}

function sizeOf(bytes: number, options: Readonly<Record<string, unknown>>): Size {
  requireNoSeed(options);
  return { cellCount: 8 * bytes, hashes: WORDS, own: ownOf(options) };
}

function requireBlocks(name: string, bytes: unknown): number {
  const length = requireInteger(name, bytes, BLOCK_BYTES, MAX_BYTES);
  if (length % BLOCK_BYTES === 0) return length;
  throw new RangeError(mustBe(name, `a multiple of ${BLOCK_BYTES}`, length));
}

// The header of a filter in a file, in Thrift's compact protocol: field 1, numBytes, is an i32 in a zigzag varint; fields
// 2 to 4 are unions that have one member each: BLOCK, XXHASH and UNCOMPRESSED.
// https://github.com/apache/parquet-format/blob/master/BloomFilter.md

const SIZE_FIELD = 0x15;
const UNIONS: readonly number[] = [0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0];
const STOP = 0;

function writeHeader(byteLength: number): Uint8Array<ArrayBuffer> {
  const varint: number[] = [];
  let rest = 2 * byteLength;
  for (; rest >= 128; rest = Math.floor(rest / 128)) varint.push((rest % 128) + 128);
  return Uint8Array.from([SIZE_FIELD, ...varint, rest, ...UNIONS, STOP]);
}

/** Reads the size from a header, without checking it. */
function sizeIn(bytes: Uint8Array): number {
  let size = 0;
  let scale = 1;
  // The varint of an i32 has at most five bytes.
  for (const byte of bytes.subarray(1, 6)) {
    size += (byte % 128) * scale;
    if (byte < 128) return size / 2;
    scale *= 128;
  }
  requireParquet(bytes.length > 6, 'they end in the header', 'TRUNCATED');
  return Number.NaN;
}

function readHeader(bytes: Uint8Array, options: unknown = {}): ForeignFile {
  const given = requireOptions(options, "{ numbers: 'int32' }", ['numbers']);
  requireParquet(bytes[0] === SIZE_FIELD, 'they do not begin with the field numBytes', 'FOREIGN');
  const byteLength = sizeIn(bytes);
  const isSize = byteLength >= BLOCK_BYTES && byteLength <= MAX_BYTES && byteLength % BLOCK_BYTES === 0;
  requireParquet(isSize, `its size is ${byteLength} bytes`);
  const header = writeHeader(byteLength);
  requireParquet(bytes.length >= header.length, 'they end in the header', 'TRUNCATED');
  const isKnown = header.every((byte, i) => bytes[i] === byte);
  requireParquet(isKnown, 'its algorithm, hash or compression is not that of the specification', 'VERSION');
  return { head: headOf(byteLength, given), bodyAt: header.length };
}

function headOf(byteLength: number, options: Readonly<Record<string, unknown>>): Head {
  const parameters = { cellCount: 8 * byteLength, hashes: WORDS, seed: 0, capacity: 0, errorRate: 0 };
  return { parameters, cellBits: 1, own: ownOf(options) };
}

const PARQUET: ForeignKind = {
  id: FOREIGN_KIND,
  name: 'parquet',
  className: 'ParquetBloomFilter',
  system: 'Parquet',
  traits: {
    removes: false,
    canBeFull: false,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: () => MIN_ERROR_RATE,
  },
  cellName: 'bits',
  cellBits: [1, 1],
  sizes: ['bytes'],
  options: ['sizing', 'numbers'],
  shown: ['bytes', 'numbers'],
  sizeFor(capacity, errorRate, options) {
    const { sizing = 'power-of-two' } = options;
    return sizeOf(bytesFor(capacity, errorRate, sizing), options);
  },
  sizeOf(options) {
    if (options['sizing'] !== undefined) throw new TypeError('options must give bytes or sizing, got both');
    return sizeOf(requireBlocks('bytes', options['bytes']), options);
  },
  errorRateAt: (count, { cellCount }) => expectedBlockedErrorRate(count, cellCount),
  cellsOf: (saved) => new ParquetBlocks(saved),
  union: (kernel) => kernel.bits_or,
  intersection: (kernel) => kernel.bits_and,
  wordCells: 32,
  hasBigEndianWords: false,
  writeHead: ({ parameters }) => writeHeader(parameters.cellCount / 8),
  readHead: readHeader,
};

function rulesOf({ numbers }: ParquetOwn): KeyRules {
  return { numbers: NUMBERS[numbers], advice: "the option numbers is 'int32', 'int64', 'float' or 'double'" };
}

/** Blocks of 256 bits, in which the kernel sets bits as for a `BlockedBloomFilter`, by another hash. */
class ParquetBlocks extends ForeignCells {
  readonly blocks: number;

  constructor(saved: Saved) {
    super(saved, 'parquet', rulesOf(saved.own as ParquetOwn));
    this.blocks = saved.parameters.cellCount / BLOCK_BITS;
  }

  get kind(): ForeignKind {
    return PARQUET;
  }

  add(count: number): number {
    const { region, blocks } = this;
    const { kernel, scratch } = region.instance;
    return kernel.blocked_add(region.pointer, blocks, scratch.hashes, count, scratch.flags);
  }

  addFlags(count: number): number {
    return this.add(count);
  }

  has(count: number): number {
    const { region, blocks } = this;
    const { kernel, scratch } = region.instance;
    return kernel.blocked_has(region.pointer, blocks, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    const { region, rules } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeRuledKey(key, rules, instance, 0) : text.length;
    if (length < 0) return this.add(1) === 1;
    const { kernel, scratch } = instance;
    return kernel.blocked_add_key(region.pointer, this.blocks, text, scratch.keys, length, 0) === 1;
  }

  hasKey(key: Key): boolean {
    const { region, rules } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeRuledKey(key, rules, instance, 0) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    return kernel.blocked_has_key(region.pointer, this.blocks, text, scratch.keys, length, 0) === 1;
  }
}

/**
 * The Bloom filter of a column chunk in a Parquet file: the blocks of a `BlockedBloomFilter`, and XXH64 as the hash.
 *
 * A key is a value of the column, in Parquet's encoding PLAIN without a length: a string is its UTF-8, and a number is
 * what the option `numbers` says. Arrays of numbers may be typed arrays of that type.
 *
 * ```ts
 * const filter = ParquetBloomFilter.fromBytes(file.subarray(bloom_filter_offset, bloom_filter_offset + length));
 * filter.has('ada'); // false: the row group has no such value, and need not be read
 * ```
 *
 * @see https://parquet.apache.org/docs/file-format/bloomfilter/
 */
export class ParquetBloomFilter extends ForeignFilter<ParquetBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: ForeignKind = PARQUET;
  /** @internal */
  declare readonly [CELLS]: ParquetBlocks;

  /**
   * The length of the filter of which a file has the beginning, header and bits together: for a file whose metadata have
   * no `bloom_filter_length`, as parquet-mr wrote it before version 1.14.
   *
   * ```ts
   * const end = offset + ParquetBloomFilter.lengthIn(file.subarray(offset, offset + 32));
   * const filter = ParquetBloomFilter.fromBytes(file.subarray(offset, end));
   * ```
   *
   * @param start bytes from the filter's offset on, of which the first 32 are enough
   * @throws SavedFilterError unless they begin with a whole header; TypeError if they are something else
   */
  static lengthIn(start: Uint8Array): number {
    const { head, bodyAt } = readHeader(requireBytes('start', start), undefined);
    return bodyAt + head.parameters.cellCount / 8;
  }

  /**
   * Makes a filter of the bits alone, without the header that a Parquet file has before them.
   *
   * @param bitset the bits, a multiple of 32 bytes; copied
   * @param options the type of number keys, as `{ numbers: 'int32' }`
   * @throws TypeError | RangeError if an argument is wrong; FilterMemoryError if there is no memory for the filter
   */
  static fromBitset<F extends ParquetBloomFilter>(
    this: FilterClass<F>,
    bitset: Uint8Array,
    options: ParquetKeyOptions = {},
  ): F {
    const bytes = requireBytes('bitset', bitset);
    const given = requireOptions(options, "{ numbers: 'int32' }", ['numbers']);
    return readCells(this, headOf(requireBlocks('bitset.length', bytes.length), given), bytes);
  }

  /** Returns the bits alone, without the header that `toBytes` writes before them. */
  toBitset(): Uint8Array<ArrayBuffer> {
    const { region } = this[CELLS];
    return region.view(0, region.byteLength).slice();
  }

  static override from<F extends ParquetBloomFilter>(
    this: FilterClass<F> & (new (options: ParquetBloomFilterOptions) => F),
    keys: FloatArray,
    options?: Partial<ParquetBloomFilterOptions>,
  ): F;
  static override from<F extends GrowingFilter, Options, K>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: CountedKeys<K>,
    options?: FromOptions<Options>,
  ): F;
  static override from<F extends GrowingFilter, Options, K>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: ManyKeys<K>,
    options: NoInfer<Options>,
  ): F;
  static override from(keys: never, options?: object): object {
    return super.from(keys, options as never);
  }

  // Arrays of floats are keys here only.

  override addMany(keys: FloatArray, out?: Uint8Array): this;
  override addMany<K>(keys: ManyKeys<K>, out?: Uint8Array): this;
  override addMany(keys: never, out?: Uint8Array): this {
    return super.addMany(keys, out);
  }

  override hasMany<B extends ArrayBufferLike = ArrayBuffer>(keys: FloatArray, out?: Uint8Array<B>): Uint8Array<B>;
  override hasMany<K, B extends ArrayBufferLike = ArrayBuffer>(keys: ManyKeys<K>, out?: Uint8Array<B>): Uint8Array<B>;
  override hasMany<B extends ArrayBufferLike>(keys: never, out?: Uint8Array<B>): Uint8Array<B> {
    return super.hasMany(keys, out);
  }

  override pick<F extends FloatArray>(keys: F): PickedFloats<F>;
  override pick<K>(keys: ManyKeys<K>): Picked<K>;
  override pick(keys: never): unknown {
    return super.pick(keys);
  }

  override omit<F extends FloatArray>(keys: F): PickedFloats<F>;
  override omit<K>(keys: ManyKeys<K>): Picked<K>;
  override omit(keys: never): unknown {
    return super.omit(keys);
  }

  override dedupe<F extends FloatArray>(keys: F): PickedFloats<F>;
  override dedupe<K>(keys: ManyKeys<K>): Picked<K>;
  override dedupe(keys: never): unknown {
    return super.dedupe(keys);
  }

  get kind(): 'parquet' {
    return 'parquet';
  }

  /** The number of bytes of the bits, a multiple of 32. */
  get bytes(): number {
    return this.cellCount / 8;
  }

  /** The physical type of a column of numbers. */
  get numbers(): ParquetNumbers {
    return (this[CELLS].own as ParquetOwn).numbers;
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /** Estimates the share of absent keys that look present now, 0 … 1: the mean over all blocks. Reads the whole filter. */
  override estimateErrorRate(): number {
    const { region, blocks } = this[CELLS];
    return region.instance.kernel.blocked_error_rate(region.pointer, blocks);
  }
}
