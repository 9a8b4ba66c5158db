import type { PromiseOptions, Without } from '../../filters/filter-options.ts';
import { CELLS, KIND } from '../../filters/kind.ts';
import { FOREIGN_KIND, type Head, type Saved } from '../../format/header.ts';
import type { SparkExports } from '../../kernel/generated/spark/exports.ts';
import type { Instance } from '../../kernel/instance.ts';
import type { RegionWith } from '../../kernel/region.ts';
import { hashLongBytes } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import type { SavedFilterErrorCode } from '../../util/checks/errors.ts';
import { requireOptions } from '../../util/checks/options.ts';
import { mustBe, requireInteger, SECRETS } from '../../util/checks/validate.ts';
import { type ForeignFile, type ForeignKind, requireForeign } from '../foreign-filter.ts';
import { INT64, javaText, type KeyRules, ruledText, writeRuledKey } from '../key-rules.ts';
import {
  bitsFor,
  hashesFor,
  inWords,
  JAVA_ERROR_RATE,
  MAX_WORDS,
  NARROW_BITS,
  requireWordBits,
  WordBits,
  WordFilter,
  wordErrorRate,
} from '../word-filter.ts';

interface SparkVersionOptions {
  /** The version of the format: 2, the default, which Spark 4.1 and later make, or 1, which all versions read. */
  version?: 1 | 2 | undefined;
  /** The seed of the hash, −2^31 … 2^31 − 1; default 0. Version 1 has none. */
  seed?: number | undefined;
}

/** The options of a `SparkBloomFilter`: a capacity and an error rate, or the numbers of bits and hashes. */
export type SparkBloomFilterOptions = SparkVersionOptions &
  (
    | (Pick<PromiseOptions, 'capacity'> & {
        /** The share of absent keys that may look present at capacity, between 0 and 1; default 0.03, as in Spark. */
        errorRate?: number | undefined;
      } & Without<'bits' | 'hashes'>)
    | ({
        /** The number of bits m, a multiple of 64, 64 … 64 · (2^31 − 1). */
        bits: number;
        /** The number of bits k that each key sets, from 1 to the smaller of m and 2^20. */
        hashes: number;
      } & Without<'capacity' | 'errorRate'>)
  );

interface SparkOwn {
  readonly version: 1 | 2;
}

function ownOf({ version = 2 }: Readonly<Record<string, unknown>>): SparkOwn {
  return { version: requireInteger('version', version, 1, 2) === 1 ? 1 : 2 };
}

/**
 * The most hashes of a filter: as Spark chooses them, none has more than bits. More than 2^20, which only one key in
 * megabits has, would take long to look up.
 */
const mostHashes = (bits: number): number => Math.min(bits, 2 ** 20);

/** The options of a new filter: Spark's error rate, and a seed without a sign. */
function complete(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { errorRate = JAVA_ERROR_RATE, bits, hashes, seed } = given;
  if (seed !== undefined && ownOf(given).version === 1)
    throw new TypeError(mustBe('seed', 'undefined, because version 1 has none', seed));
  return {
    ...(bits === undefined && hashes === undefined && { errorRate }),
    ...(seed !== undefined && { seed: requireInteger('seed', seed, -(2 ** 31), 2 ** 31 - 1) >>> 0 }),
  };
}

function requireSpark(holds: boolean, reason: string, code?: SavedFilterErrorCode): void {
  requireForeign(holds, SPARK.system, reason, code);
}

// What `writeTo` writes: the version; the number of hashes; in version 2 the seed; the number of words; the words.
// Numbers have 4 bytes, and words 8; all are signed and big-endian.

/** Whether the head has a seed, which version 2 added. */
const hasSeed = ({ version }: SparkOwn): boolean => version === 2;

function writeHead({ parameters: { cellCount, hashes, seed }, own }: Head): Uint8Array<ArrayBuffer> {
  const { version } = own as SparkOwn;
  const seeds = hasSeed(own as SparkOwn) ? [seed % SECRETS] : [];
  const numbers = [version, hashes, ...seeds, cellCount / 64];
  const view = new DataView(new ArrayBuffer(4 * numbers.length));
  for (const [i, number] of numbers.entries()) view.setUint32(4 * i, number);
  return new Uint8Array(view.buffer);
}

function readHead(bytes: Uint8Array, options: unknown = {}): ForeignFile {
  requireOptions(options, '{}', []);
  requireSpark(bytes.length >= 4, 'they end in the header', 'TRUNCATED');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getInt32(0);
  requireSpark(version === 1 || version === 2, `its version is ${version}`, 'VERSION');
  const own: SparkOwn = { version: version === 1 ? 1 : 2 };
  const bodyAt = hasSeed(own) ? 16 : 12;
  requireSpark(bytes.length >= bodyAt, 'they end in the header', 'TRUNCATED');
  const hashes = view.getInt32(4);
  const words = view.getInt32(bodyAt - 4);
  requireSpark(words >= 1 && words <= MAX_WORDS, `its number of words is ${words}`);
  const cellCount = 64 * words;
  requireSpark(
    hashes >= 1 && hashes <= mostHashes(cellCount),
    `its number of hashes is ${hashes}, for ${cellCount} bits`,
  );
  const seed = hasSeed(own) ? view.getUint32(8) : 0;
  return { head: { parameters: { cellCount, hashes, seed, capacity: 0, errorRate: 0 }, cellBits: 1, own }, bodyAt };
}

const reachOf = (bits: number, { version }: SparkOwn): number => (version === 1 ? Math.min(bits, NARROW_BITS) : bits);

const SPARK: ForeignKind = {
  id: FOREIGN_KIND,
  name: 'spark',
  className: 'SparkBloomFilter',
  system: 'Spark',
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
  options: ['version'],
  shown: ['bits', 'hashes', 'version'],
  complete,
  sizeFor(capacity, errorRate, options) {
    const bits = bitsFor(capacity, errorRate);
    return { cellCount: inWords(bits), hashes: hashesFor(bits, capacity), own: ownOf(options) };
  },
  sizeOf(options) {
    const bits = requireWordBits(options['bits']);
    const hashes = requireInteger('hashes', options['hashes'], 1, mostHashes(bits));
    return { cellCount: bits, hashes, own: ownOf(options) };
  },
  errorRateAt: (count, { cellCount, hashes }, _, own) =>
    wordErrorRate(count, reachOf(cellCount, own as SparkOwn), hashes),
  cellsOf: (saved) => new SparkBits(saved),
  union: (kernel) => kernel.bits_or,
  intersection: (kernel) => kernel.bits_and,
  hasBigEndianWords: true,
  writeHead,
  readHead,
};

/** Hashes a key that does not fit the scratch. The kernel hashes it in parts, so its second hash is made here. */
function hashLong(key: Uint8Array, instance: Instance, seed: number): void {
  hashLongBytes(key, instance, seed);
  const hash = new Uint32Array(instance.memory.buffer, instance.scratch.hashes, 2);
  const [first = 0] = hash;
  hashLongBytes(key, instance, first);
  hash.set([first, hash[0] ?? 0]);
}

const RULES: KeyRules = { numbers: INT64, advice: 'Spark has integers only', textOf: javaText, hashLong };

/** Bits in words, chosen as one of the two versions does. */
class SparkBits extends WordBits {
  declare readonly region: RegionWith<SparkExports>;
  readonly reach: number;
  readonly narrow: 0 | 1;

  constructor(saved: Saved) {
    const own = saved.own as SparkOwn;
    super(saved, 'spark', RULES);
    this.reach = reachOf(saved.parameters.cellCount, own);
    this.narrow = own.version === 1 ? 1 : 0;
  }

  get kind(): ForeignKind {
    return SPARK;
  }

  over(saved: Saved): SparkBits {
    return new SparkBits(saved);
  }

  add(count: number): void {
    const { region, parameters, narrow } = this;
    const { kernel, scratch } = region.instance;
    kernel.spark_add(region.pointer, parameters.cellCount, parameters.hashes, narrow, scratch.hashes, count);
  }

  addFlags(count: number): number {
    const { region, parameters, narrow } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.spark_add_flags(region.pointer, cellCount, hashes, narrow, scratch.hashes, count, scratch.flags);
  }

  has(count: number): number {
    const { region, parameters, narrow } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.spark_has(region.pointer, cellCount, hashes, narrow, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    const { region, parameters, narrow, seed, rules } = this;
    const { instance } = region;
    const text = ruledText(key, rules, instance);
    const length = text === null ? writeRuledKey(key, rules, instance, seed) : text.length;
    if (length < 0) return this.addFlags(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.spark_add_key(region.pointer, cellCount, hashes, narrow, text, scratch.keys, length, seed) === 1;
  }

  hasKey(key: Key): boolean {
    const { region, parameters, narrow, seed, rules } = this;
    const { instance } = region;
    const text = ruledText(key, rules, instance);
    const length = text === null ? writeRuledKey(key, rules, instance, seed) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.spark_has_key(region.pointer, cellCount, hashes, narrow, text, scratch.keys, length, seed) === 1;
  }
}

/**
 * The Bloom filter of Apache Spark: what `org.apache.spark.util.sketch.BloomFilter` writes with `writeTo`, and reads
 * with `readFrom`, in both versions of the format.
 *
 * A key is a value of the column. A string is its UTF-8, with `?` for a lone surrogate, as Java writes it; an integer of
 * any type is widened to 64 bits. Spark puts no other types into a filter.
 *
 * ```ts
 * const filter = SparkBloomFilter.fromBytes(bytes);
 * filter.has('ada'); // false: certainly not in the column
 * ```
 *
 * @see https://spark.apache.org/docs/latest/api/java/org/apache/spark/util/sketch/BloomFilter.html
 */
export class SparkBloomFilter extends WordFilter<SparkBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: ForeignKind = SPARK;
  /** @internal */
  declare readonly [CELLS]: SparkBits;

  get kind(): 'spark' {
    return 'spark';
  }

  /** The version of the format. */
  get version(): 1 | 2 {
    return (this[CELLS].own as SparkOwn).version;
  }

  /** The seed of the hash, −2^31 … 2^31 − 1; 0 in version 1. */
  override get seed(): number {
    return super.seed | 0;
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }
}
