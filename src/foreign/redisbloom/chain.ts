// The cells of a filter of RedisBloom: a chain of Bloom filters, called links.

import type { Kind } from '../../filters/kind.ts';
import { type FilterParameters, FOREIGN_KIND, type Head, type Saved, sum } from '../../format/header.ts';
import type { RedisbloomExports } from '../../kernel/generated/redisbloom/exports.ts';
import type { Instance, KernelExports } from '../../kernel/instance.ts';
import type { Engine, Region } from '../../kernel/region.ts';
import { sourceOf } from '../../keys/collections.ts';
import { hashLongBytes } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import type { Source } from '../../keys/source.ts';
import { Bits } from '../../kinds/classic/filter.ts';
import { type SubFilter, SubFilterRow } from '../../kinds/scalable/sub-filter-row.ts';
import { FOREIGN, mustBe, requireInteger, requireRate } from '../../util/checks/validate.ts';
import { requireNoSeed, SYSTEMS } from '../foreign-filter.ts';
import { type KeyRules, longBytes, ruledKey } from '../key-rules.ts';
import { naturalLog } from '../logarithm.ts';
import { underRules } from '../ruled-sources.ts';

/** A link as the header of a dump describes it: for how many keys and which error rate, and how many keys it has. */
export interface LinkRecord {
  readonly parameters: Pick<FilterParameters, 'cellCount' | 'hashes' | 'capacity' | 'errorRate'>;
  readonly count: number;
  /** The number of bits for each key, before rounding. */
  readonly bitsPerKey: number;
}

/** A link of a filter in memory. */
export interface Link extends SubFilter {
  readonly bitsPerKey: number;
}

/** The parameters that only these filters have. */
export interface ChainOwn<L = LinkRecord> {
  /** The ratio of the capacity of each link to that of the one before. */
  readonly expansion: number;
  readonly nonScaling: boolean;
  readonly links: readonly L[];
}

/** The largest ratio: the header has it in 32 bits. */
export const MAX_EXPANSION: number = 2 ** 32 - 1;
/** The most hashes of a link: as many as the lowest error rate of all needs, 2^−1074. */
export const MAX_HASHES = 1075;
/** The most links. Each has half the error rate of the one before, and lower ones than that of the last do not exist. */
export const MAX_LINKS: number = MAX_HASHES;
/** The highest error rate that the commands of the module take. */
const MAX_ERROR_RATE = 0.25;
/** Each link has this times the error rate of the one before. */
export const TIGHTENING = 0.5;

// Written as the module has them: (ln 2)² and ln 2.
const LN2_SQUARED = 0.480453013918201;
const LN2 = 6.93147180559945e-1;

/** The number of hashes for a number of bits for each key. */
export function hashesFor(bitsPerKey: number): number {
  return Math.ceil(LN2 * bitsPerKey);
}

/** The size of a link. Throws a RangeError if there is none. */
function linkFor(capacity: number, errorRate: number): LinkRecord {
  const bitsPerKey = -(naturalLog(errorRate) / LN2_SQUARED);
  const bits = Math.ceil(Math.max(1, Math.trunc(capacity * bitsPerKey)) / 64) * 64;
  if (errorRate > 0 && Number.isSafeInteger(capacity) && Number.isSafeInteger(bits)) {
    const hashes = hashesFor(bitsPerKey);
    return { parameters: { cellCount: bits, hashes, capacity, errorRate }, count: 0, bitsPerKey };
  }
  throw new RangeError(`a link for ${capacity} keys at the error rate ${errorRate} is too large`);
}

/** The number of bits of all links. */
function cellsIn(links: readonly LinkRecord[]): number {
  return sum(links.map(({ parameters }) => parameters.cellCount));
}

/** The parameters of all links together. */
export function headOfLinks(own: ChainOwn, capacity: number, errorRate: number): Head<ChainOwn> {
  const [first] = own.links as [LinkRecord];
  const { hashes } = first.parameters;
  return { parameters: { cellCount: cellsIn(own.links), hashes, seed: 0, capacity, errorRate }, cellBits: 1, own };
}

export const REDISBLOOM: Kind<Chain> = {
  id: FOREIGN_KIND,
  name: 'redisbloom',
  className: 'RedisBloomDump',
  traits: {
    removes: false,
    canBeFull: false,
    grows: true,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: () => 2 * Number.MIN_VALUE,
  },
  cellName: 'bits',
  cellBits: [1, 1],
  sizes: [],
  options: ['expansion', 'nonScaling'],
  shown: ['expansion', 'nonScaling', 'links', 'bits', 'count'],
  sizeFor(capacity, errorRate, options) {
    requireNoSeed(options);
    const { expansion = 2, nonScaling: isFixed = false } = options;
    if (typeof isFixed !== 'boolean') throw new TypeError(mustBe('nonScaling', 'a boolean', isFixed));
    const nonScaling = isFixed || expansion === 0;
    requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
    if (requireRate('errorRate', errorRate) > MAX_ERROR_RATE)
      throw new RangeError(mustBe('errorRate', `at most ${MAX_ERROR_RATE}`, errorRate));
    const links = [linkFor(capacity, nonScaling ? errorRate : errorRate * TIGHTENING)];
    const own: ChainOwn = { expansion: requireInteger('expansion', expansion, 0, MAX_EXPANSION), nonScaling, links };
    const { parameters } = headOfLinks(own, capacity, errorRate);
    return { cellCount: parameters.cellCount, hashes: parameters.hashes, own };
  },
  cellsOf: (saved: Saved<ChainOwn>, engine) => new Chain(saved, engine),
};

/**
 * Hashes a key that does not fit the scratch. MurmurHash64A begins with the length of the key, which stands in place of
 * the seed, and the key is hashed twice: the second time under the first hash.
 */
function hashLong(key: Uint8Array, instance: Instance): void {
  const kernel = instance.kernel as KernelExports & RedisbloomExports;
  hashLongBytes(key, instance, key.length);
  hashLongBytes(key, { ...instance, kernel: { ...kernel, hash_begin: kernel.hash_again } }, key.length);
}

const RULES: KeyRules = {
  numbers: undefined,
  advice: 'in Redis every key is a string, so pass String(key)',
  hashLong,
};

function linkOf(region: Region, { parameters: saved, count, bitsPerKey }: LinkRecord): Link {
  const { cellCount, hashes, capacity, errorRate } = saved;
  const parameters = { cellCount, hashes, seed: SYSTEMS.redisbloom * FOREIGN, capacity, errorRate };
  const cells = new Bits({ segments: [region], parameters, cellBits: 1, own: undefined });
  return { cells, parameters, count, bitsPerKey };
}

/**
 * Links, of which the last takes new keys. The module of WebAssembly has loops of its own under the names of those that
 * `Bits` calls; there is none for `Bits.add`, which a row of sub-filters does not call.
 */
export class Chain extends SubFilterRow<Link> {
  declare readonly own: ChainOwn<Link>;
  readonly subFilters: Link[];
  readonly #engine: Engine;

  constructor(saved: Saved<ChainOwn>, engine: Engine) {
    const { parameters, segments } = saved;
    const { expansion, nonScaling, links } = saved.own;
    const subFilters = segments.map((region, i) => linkOf(region, links[i] as LinkRecord));
    const own: ChainOwn<Link> = { expansion, nonScaling, links: subFilters };
    super({ ...saved, parameters: { ...parameters, seed: SYSTEMS.redisbloom * FOREIGN }, own });
    this.subFilters = subFilters;
    this.#engine = engine;
  }

  get kind(): Kind<Chain> {
    return REDISBLOOM;
  }

  /** None: a source of keys that single calls leave over would not apply the rules. */
  override get few(): number {
    return 0;
  }

  sourceOf(keys: unknown): Source {
    return sourceOf(underRules(keys, RULES));
  }

  protected grow(): void {
    const { expansion, nonScaling } = this.own;
    const { capacity, errorRate } = this.last.parameters;
    if (nonScaling) throw new RangeError('it is nonScaling');
    const next = linkFor(capacity * expansion, errorRate * TIGHTENING);
    this.subFilters.push(linkOf(this.reserve(this.#engine, next.parameters.cellCount / 8), next));
  }

  protected cellCount(): number {
    return cellsIn(this.subFilters);
  }

  /** Writes the hash of a key that does not fit the scratch, and returns whether it is one. */
  #isLong(key: Key): boolean {
    const long = longBytes(key, RULES);
    if (long) hashLong(long, this.region.instance);
    return long !== undefined;
  }

  override addKey(key: Key): boolean {
    const ruled = ruledKey(key, RULES);
    if (!this.#isLong(ruled)) return super.addKey(ruled);
    this.addFlags(1, 0);
    return this.region.instance.scratch.flagBytes[0] === 1;
  }

  override hasKey(key: Key): boolean {
    const ruled = ruledKey(key, RULES);
    return this.#isLong(ruled) ? this.has(1) === 1 : super.hasKey(ruled);
  }
}
