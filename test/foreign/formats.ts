// The filters of other systems for the suites that all of them pass.

import { GoBloomFilter } from '../../src/entries/go.ts';
import { GuavaBloomFilter } from '../../src/entries/guava.ts';
import { GoBloomFilter as JsGoBloomFilter } from '../../src/entries/js/go.ts';
import { GuavaBloomFilter as JsGuavaBloomFilter } from '../../src/entries/js/guava.ts';
import { ParquetBloomFilter as JsParquetBloomFilter } from '../../src/entries/js/parquet.ts';
import { RedisBloomDump as JsRedisBloomDump } from '../../src/entries/js/redisbloom.ts';
import { SparkBloomFilter as JsSparkBloomFilter } from '../../src/entries/js/spark.ts';
import { ParquetBloomFilter } from '../../src/entries/parquet.ts';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { SparkBloomFilter } from '../../src/entries/spark.ts';
import { type FilterTraits, type GrowingFilter, type Keys, SavedFilterError } from '../../src/index.ts';

export interface ForeignFilter extends GrowingFilter {
  /** Undefined for filters of several layers. */
  union?(other: ForeignFilter): ForeignFilter;
  intersection?(other: ForeignFilter): ForeignFilter;
  equals(other: ForeignFilter): boolean;
  clone(): ForeignFilter;
}

export interface ForeignClass {
  readonly traits: FilterTraits;
  new (options: object): ForeignFilter;
  prepare(): Promise<void>;
  from<K extends Keys>(keys: K, options?: object): ForeignFilter;
  fromBytes(bytes: Uint8Array | ArrayBuffer, options?: object): ForeignFilter;
  fromChunks(chunks: Iterable<Uint8Array>, options?: object): ForeignFilter;
  fromChunks(chunks: AsyncIterable<Uint8Array>, options?: object): Promise<ForeignFilter>;
}

/** What the suites need to know of a format. */
export interface Format {
  readonly name: string;
  readonly classes: readonly [wasm: ForeignClass, js: ForeignClass];
  /** Options besides a capacity and an error rate, each with which the suites run. */
  readonly variants: readonly object[];
  /** Those that `fromBytes` needs of a variant. */
  readingOptions?(variant: object): object;
  /** Whether a number is a key in a variant. */
  isNumberKey(key: number | bigint, variant: object): boolean;
  /** The string with the same key as one with lone surrogates. */
  readonly loneSurrogate: '?' | '\ufffd';
  /** Whether filters are also read in forms in which they are not written. */
  readonly hasForms?: boolean;
}

const isInt32 = (key: number | bigint): boolean => key >= -(2 ** 31) && key < 2 ** 32;
const isFloat = (key: number | bigint): boolean => Math.fround(Number(key)) === Number(key);

const PARQUET_NUMBERS: Readonly<Record<string, (key: number | bigint) => boolean>> = {
  int32: isInt32,
  int64: () => true,
  float: isFloat,
  double: () => true,
};

export const formats: readonly Format[] = [
  {
    name: 'go',
    classes: [GoBloomFilter, JsGoBloomFilter] as object as Format['classes'],
    variants: [{}],
    isNumberKey: () => false,
    loneSurrogate: '\ufffd',
    hasForms: true,
  },
  {
    name: 'parquet',
    classes: [ParquetBloomFilter, JsParquetBloomFilter] as object as Format['classes'],
    variants: Object.keys(PARQUET_NUMBERS).map((numbers) => ({ numbers })),
    readingOptions: (variant) => variant,
    isNumberKey: (key, variant) => PARQUET_NUMBERS[(variant as { numbers: string }).numbers]?.(key) ?? false,
    loneSurrogate: '\ufffd',
  },
  {
    name: 'redisbloom',
    classes: [RedisBloomDump, JsRedisBloomDump] as object as Format['classes'],
    variants: [{}, { nonScaling: true }],
    isNumberKey: () => false,
    loneSurrogate: '\ufffd',
  },
  {
    name: 'guava',
    classes: [GuavaBloomFilter, JsGuavaBloomFilter] as object as Format['classes'],
    variants: [
      { numbers: 'long', strategy: 'MURMUR128_MITZ_64' },
      { numbers: 'int', strategy: 'MURMUR128_MITZ_32' },
    ],
    readingOptions: (variant) => ({ numbers: (variant as { numbers: string }).numbers }),
    isNumberKey: (key, variant) => (variant as { numbers: string }).numbers === 'long' || isInt32(key),
    loneSurrogate: '?',
  },
  {
    name: 'spark',
    classes: [SparkBloomFilter, JsSparkBloomFilter] as object as Format['classes'],
    variants: [{ version: 1 }, { version: 2, seed: -7 }],
    isNumberKey: () => true,
    loneSurrogate: '?',
  },
];

/** The code of the error for bytes that are refused; undefined if they are not. */
export function codeOf(load: () => unknown): string | undefined {
  try {
    load();
  } catch (error) {
    if (error instanceof SavedFilterError) return error.code;
    throw error;
  }
  return undefined;
}
