import type { Without } from '../../filters/filter-options.ts';
import { CELLS, KIND, type Size } from '../../filters/kind.ts';
import { FOREIGN_KIND, type Head, type Saved } from '../../format/header.ts';
import type { GuavaExports } from '../../kernel/generated/guava/exports.ts';
import type { RegionWith } from '../../kernel/region.ts';
import type { Key } from '../../keys/key.ts';
import { LEAST_ERROR_RATE, MAX_HASHES } from '../../kinds/classic/sizing.ts';
import type { SavedFilterErrorCode } from '../../util/checks/errors.ts';
import { requireOptions } from '../../util/checks/options.ts';
import { requireInteger, requireOneOf } from '../../util/checks/validate.ts';
import { type ForeignFile, type ForeignKind, requireForeign, requireNoSeed } from '../foreign-filter.ts';
import { INT32, INT64, javaText, type KeyRules, ruledText, writeRuledKey } from '../key-rules.ts';
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

/** How the bits of a key are chosen, by Guava's own names. */
export type GuavaStrategy = 'MURMUR128_MITZ_64' | 'MURMUR128_MITZ_32';

interface GuavaKeyOptions {
  /** How number keys are hashed: as `Funnels.integerFunnel()` or `Funnels.longFunnel()` does; default `long`. */
  numbers?: 'int' | 'long' | undefined;
  /**
   * How strings are hashed: `utf8`, the default, as `Funnels.stringFunnel(UTF_8)` does, or `chars`, as
   * `Funnels.unencodedCharsFunnel()`.
   */
  strings?: 'utf8' | 'chars' | undefined;
}

/** The options of a `GuavaBloomFilter`: a capacity and an error rate, or the numbers of bits and hashes. */
export type GuavaBloomFilterOptions = GuavaKeyOptions & {
  /**
   * How the bits of a key are chosen; default `MURMUR128_MITZ_64`, the only one that Guava makes filters with since
   * version 18. `MURMUR128_MITZ_32` never uses more than 2^31 bits.
   */
  strategy?: GuavaStrategy | undefined;
} & (
    | ({
        /** The number of distinct keys that the filter is made for, 0 … 2^53 − 1. As in Guava, 0 is as good as 1. */
        capacity: number;
        /** The share of absent keys that may look present at capacity, between 0 and 1; default 0.03, as in Guava. */
        errorRate?: number | undefined;
        /**
         * Which versions of Guava choose the same number of hashes: `guava-33.4`, the default, stands for 33.4.0 and
         * later, `guava-33.3` for those before. They differ in filters for a few keys only.
         */
        sizing?: 'guava-33.4' | 'guava-33.3' | undefined;
      } & Without<'bits' | 'hashes'>)
    | ({
        /** The number of bits m, a multiple of 64, 64 … 64 · (2^31 − 1). */
        bits: number;
        /** The number of bits k that each key sets, 1 … 255. */
        hashes: number;
      } & Without<'capacity' | 'errorRate' | 'sizing'>)
  );

const NUMBERS = { int: INT32, long: INT64 };
const STRINGS = { utf8: false, chars: true };
/** The strategies by their numbers in files. */
const STRATEGIES: readonly GuavaStrategy[] = ['MURMUR128_MITZ_32', 'MURMUR128_MITZ_64'];

interface GuavaOwn {
  readonly strategy: GuavaStrategy;
  readonly numbers: keyof typeof NUMBERS;
  readonly strings: keyof typeof STRINGS;
}

function ownOf(options: Readonly<Record<string, unknown>>): GuavaOwn {
  const { strategy = 'MURMUR128_MITZ_64', numbers = 'long', strings = 'utf8' } = options;
  return {
    strategy: requireOneOf('strategy', strategy, STRATEGIES),
    numbers: requireOneOf('numbers', numbers, ['int', 'long']),
    strings: requireOneOf('strings', strings, ['utf8', 'chars']),
  };
}

/**
 * The size that Guava chooses.
 *
 * @see https://github.com/google/guava, `BloomFilter.create`
 */
function sizeFor(capacity: number, errorRate: number, options: Readonly<Record<string, unknown>>): Size {
  const { sizing = 'guava-33.4' } = options;
  const since = requireOneOf('sizing', sizing, ['guava-33.4', 'guava-33.3']);
  requireNoSeed(options);
  const bits = bitsFor(capacity, errorRate);
  const hashes =
    since === 'guava-33.4' ? Math.max(1, Math.round(-Math.log(errorRate) / Math.LN2)) : hashesFor(bits, capacity);
  if (hashes > MAX_HASHES) throw new RangeError(`errorRate ${errorRate} needs ${hashes} hashes, of 1 … ${MAX_HASHES}`);
  return { cellCount: inWords(bits), hashes, own: ownOf(options) };
}

function requireGuava(holds: boolean, reason: string, code?: SavedFilterErrorCode): void {
  requireForeign(holds, GUAVA.system, reason, code);
}

// What `writeTo` writes: the number of the strategy, 1 byte; the number of hashes, 1 byte; the number of words, 4 bytes;
// the words. Numbers are big-endian.

const HEAD_BYTES = 6;

function writeHead({ parameters: { cellCount, hashes }, own }: Head): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(HEAD_BYTES));
  view.setUint8(0, STRATEGIES.indexOf((own as GuavaOwn).strategy));
  view.setUint8(1, hashes);
  view.setInt32(2, cellCount / 64);
  return new Uint8Array(view.buffer);
}

function readHead(bytes: Uint8Array, options: unknown = {}): ForeignFile {
  const given = requireOptions(options, "{ numbers: 'int' }", ['numbers', 'strings']);
  const own = ownOf(given);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  requireGuava(bytes.length > 0, 'there are none', 'TRUNCATED');
  const strategy = STRATEGIES[view.getUint8(0)];
  requireGuava(strategy !== undefined, `its strategy is ${view.getInt8(0)}`, 'VERSION');
  requireGuava(bytes.length >= HEAD_BYTES, 'they end in the header', 'TRUNCATED');
  const hashes = view.getUint8(1);
  const words = view.getInt32(2);
  requireGuava(hashes >= 1, `its number of hashes is ${hashes}`);
  requireGuava(words >= 1 && words <= MAX_WORDS, `its number of words is ${words}`);
  const parameters = { cellCount: 64 * words, hashes, seed: 0, capacity: 0, errorRate: 0 };
  return { head: { parameters, cellBits: 1, own: { ...own, strategy } }, bodyAt: HEAD_BYTES };
}

const reachOf = (bits: number, { strategy }: GuavaOwn): number =>
  strategy === 'MURMUR128_MITZ_32' ? Math.min(bits, NARROW_BITS) : bits;

const GUAVA: ForeignKind = {
  id: FOREIGN_KIND,
  name: 'guava',
  className: 'GuavaBloomFilter',
  system: 'Guava',
  traits: {
    removes: false,
    canBeFull: false,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: () => LEAST_ERROR_RATE,
  },
  cellName: 'bits',
  cellBits: [1, 1],
  sizes: ['bits', 'hashes'],
  options: ['sizing', 'strategy', 'numbers', 'strings'],
  shown: ['bits', 'hashes', 'strategy', 'numbers', 'strings'],
  complete: ({ capacity, errorRate = JAVA_ERROR_RATE, bits, hashes }) => ({
    ...(bits === undefined && hashes === undefined && { errorRate }),
    ...(capacity === 0 && { capacity: 1 }),
  }),
  sizeFor,
  sizeOf(options) {
    if (options['sizing'] !== undefined) throw new TypeError('options must give bits and hashes or sizing, got both');
    requireNoSeed(options);
    return {
      cellCount: requireWordBits(options['bits']),
      hashes: requireInteger('hashes', options['hashes'], 1, MAX_HASHES),
      own: ownOf(options),
    };
  },
  errorRateAt: (count, { cellCount, hashes }, _, own) =>
    wordErrorRate(count, reachOf(cellCount, own as GuavaOwn), hashes),
  cellsOf: (saved) => new GuavaBits(saved),
  union: (kernel) => kernel.bits_or,
  intersection: (kernel) => kernel.bits_and,
  hasBigEndianWords: true,
  writeHead,
  readHead,
};

function rulesOf({ numbers, strings }: GuavaOwn): KeyRules {
  const rules = { numbers: NUMBERS[numbers], advice: "the option numbers is 'int' or 'long'" };
  return STRINGS[strings] ? { ...rules, isUtf16: true } : { ...rules, textOf: javaText };
}

/** Bits in words, chosen by one of the two strategies. */
class GuavaBits extends WordBits {
  declare readonly region: RegionWith<GuavaExports>;
  readonly reach: number;
  readonly narrow: 0 | 1;

  constructor(saved: Saved) {
    const own = saved.own as GuavaOwn;
    super(saved, 'guava', rulesOf(own));
    this.reach = reachOf(saved.parameters.cellCount, own);
    this.narrow = own.strategy === 'MURMUR128_MITZ_32' ? 1 : 0;
  }

  get kind(): ForeignKind {
    return GUAVA;
  }

  over(saved: Saved): GuavaBits {
    return new GuavaBits(saved);
  }

  add(count: number): void {
    const { region, parameters, narrow } = this;
    const { kernel, scratch } = region.instance;
    kernel.guava_add(region.pointer, parameters.cellCount, parameters.hashes, narrow, scratch.hashes, count);
  }

  addFlags(count: number): number {
    const { region, parameters, narrow } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.guava_add_flags(region.pointer, cellCount, hashes, narrow, scratch.hashes, count, scratch.flags);
  }

  has(count: number): number {
    const { region, parameters, narrow } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.guava_has(region.pointer, cellCount, hashes, narrow, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    const { region, parameters, narrow, rules } = this;
    const { instance } = region;
    const text = ruledText(key, rules, instance);
    const length = text === null ? writeRuledKey(key, rules, instance, 0) : text.length;
    if (length < 0) return this.addFlags(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.guava_add_key(region.pointer, cellCount, hashes, narrow, text, scratch.keys, length) === 1;
  }

  hasKey(key: Key): boolean {
    const { region, parameters, narrow, rules } = this;
    const { instance } = region;
    const text = ruledText(key, rules, instance);
    const length = text === null ? writeRuledKey(key, rules, instance, 0) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.guava_has_key(region.pointer, cellCount, hashes, narrow, text, scratch.keys, length) === 1;
  }
}

/**
 * The Bloom filter of Guava, the library for the Java virtual machine: what `BloomFilter.writeTo` writes, and `readFrom`
 * reads.
 *
 * A key is what the filter's funnel takes. By default, a string is its UTF-8, with `?` for a lone surrogate, as Java
 * writes it, and a number is a long. The file does not say which funnel it was, so `fromBytes` must be told if it was
 * another one.
 *
 * ```ts
 * const filter = GuavaBloomFilter.fromBytes(bytes, { numbers: 'int' });
 * filter.has(42); // true: 42 was put into a BloomFilter<Integer>
 * ```
 *
 * @see https://github.com/google/guava/wiki/HashingExplained#bloomfilter
 */
export class GuavaBloomFilter extends WordFilter<GuavaBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: ForeignKind = GUAVA;
  /** @internal */
  declare readonly [CELLS]: GuavaBits;

  get kind(): 'guava' {
    return 'guava';
  }

  /** How the bits of a key are chosen. It is saved. */
  get strategy(): GuavaStrategy {
    return (this[CELLS].own as GuavaOwn).strategy;
  }

  /** How number keys are hashed. It is not saved. */
  get numbers(): 'int' | 'long' {
    return (this[CELLS].own as GuavaOwn).numbers;
  }

  /** How strings are hashed. It is not saved. */
  get strings(): 'utf8' | 'chars' {
    return (this[CELLS].own as GuavaOwn).strings;
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }
}
