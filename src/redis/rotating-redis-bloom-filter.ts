import { headOf } from '../filters/filter-options.ts';
import { KIND } from '../filters/kind.ts';
import type { Engine } from '../kernel/region.ts';
import { BlockedBloomFilter } from '../kinds/blocked/filter.ts';
import * as rotating from '../kinds/rotating/filter.ts';
import { RotatingBloomFilter } from '../kinds/rotating/wasm.ts';
import { requireSameSecret } from '../util/checks/secrets.ts';
import { mustBe, mustBeSeed, requireInteger, requireRate } from '../util/checks/validate.ts';
import type { RedisClient } from './clients/any-client.ts';
import { Connection, requireKept } from './connection.ts';
import { RedisFilterError } from './error.ts';
import { engine } from './hashes.ts';
import {
  describeRotating,
  MAX_WINDOW,
  requireKind,
  requireSame,
  requireSuccessor,
  type StoredParameters,
} from './parameters.ts';
import { openStored, RedisFilter, requireOpened } from './redis-filter.ts';
import { RotatingTarget } from './rotating-target.ts';
import { GENERATIONS, mergeGenerations, readGenerations } from './rotating-transfer.ts';
import { givenOf, type RedisSettings, readOptions, requireRedisRate } from './settings.ts';

/** The options of a filter that forgets. Without any of them, it must have been made before. */
export type RotatingRedisBloomFilterOptions = Omit<RedisSettings, 'mirror'> & {
  /** The number of distinct keys in one window, 1 … 2^53 − 1. */
  capacity?: number | undefined;
  /**
   * The share of absent keys that may look present, at capacity in each of two windows, 2 · 10^−5 ≤ p < 1; default
   * 0.01.
   */
  errorRate?: number | undefined;
  /** For how many milliseconds a key is known at least, 1 … 2^45. It is forgotten after at most twice as long. */
  window?: number | undefined;
  /** The seed of the hash, 0 … 2^32 − 1; default 0. */
  seed?: number | undefined;
  /** Over how many slots of a cluster to spread the filter, 1 … 1024; default 16. */
  spread?: number | undefined;
};

function requireLocal(filter: rotating.RotatingBloomFilter): rotating.RotatingBloomFilter {
  if (filter instanceof rotating.RotatingBloomFilter) return filter;
  throw new TypeError(mustBe('filter', 'a RotatingBloomFilter', filter));
}

const SIZES = ['capacity', 'errorRate', 'seed'];

/**
 * A Bloom filter in Redis or Valkey that forgets: each key is known for one to two windows after it was last added, as
 * in "seen in the last 24 hours". It takes the memory of two filters, one for the current window and one for the window
 * before, which expires by itself. The clocks of the servers decide, and should agree; those of the clients do not
 * matter.
 *
 * ```ts
 * const day = 24 * 60 * 60 * 1000;
 * const seen = await RotatingRedisBloomFilter.open(client, 'seen', { capacity: 1e7, errorRate: 0.01, window: day });
 * await seen.add('alert 17'); // true: not seen for a day or two
 * ```
 *
 * It adds and looks up keys as `RedisBloomFilter` does, with the same guarantees and errors.
 */
export class RotatingRedisBloomFilter extends RedisFilter {
  /**
   * The class of copies in memory.
   *
   * @internal
   */
  static readonly local: typeof RotatingBloomFilter = RotatingBloomFilter;
  /** With what a class with a secret must link for its copies. */
  static override readonly engine: Engine = { ...engine, linkedModule: RotatingBloomFilter.engine.linkedModule };
  readonly #Local: typeof RotatingBloomFilter;
  readonly #connection: Connection;
  readonly #target: RotatingTarget;

  private constructor(connection: Connection, target: RotatingTarget) {
    requireOpened(connection, 'RotatingRedisBloomFilter');
    super(connection, target);
    this.#connection = connection;
    this.#target = target;
    this.#Local = new.target.local;
  }

  /**
   * Opens the filter of a name, or makes it if there is none. The memory of a generation is taken when the filter is
   * first used in its window.
   *
   * @param client a connected client of `redis`, `ioredis`, `iovalkey` or `@valkey/valkey-glide`, or an adapter
   * @param name the key of the parameters; all other keys begin with it and a colon. Without braces
   * @throws TypeError | RangeError if an argument is wrong
   * @throws RedisFilterError as `RedisBloomFilter.open` does, and EVICTION also with a policy volatile-…, which evicts
   *   keys that expire
   */
  static async open(
    client: RedisClient,
    name: string,
    options: RotatingRedisBloomFilterOptions = {},
  ): Promise<RotatingRedisBloomFilter> {
    const { given, settings, spread } = readOptions(options, [...SIZES, 'window']);
    const connection = new Connection(client, name, settings);
    const isWanted = givenOf(given, [...SIZES, 'window', 'spread']) !== undefined;
    const { engine } = this;
    const wanted = isWanted ? () => describe(given, spread, engine) : undefined;
    const stored = await openStored(connection, wanted, true, engine);
    return new this(connection, new RotatingTarget(connection, stored));
  }

  /**
   * Makes a filter with all keys that a filter in memory knows, as if they were added now. Others see it before it has
   * all of them. If it fails, or the process dies meanwhile, call it again with the same filter: it goes on with a filter
   * that was left unfinished.
   *
   * @param filter of two generations, with a window, as `toLocal` returns it
   * @throws TypeError | RangeError if an argument is wrong, or if `filter` was made under another secret than the class
   * @throws RedisFilterError EXISTS if there is a filter of this name, or MISMATCH if an unfinished one has other
   *   parameters; EVICTION as `open`
   */
  static async fromLocal(
    client: RedisClient,
    name: string,
    filter: rotating.RotatingBloomFilter,
    options: Omit<RedisSettings, 'mirror'> & { spread?: number | undefined } = {},
  ): Promise<RotatingRedisBloomFilter> {
    const { settings, spread } = readOptions(options, []);
    const { generations, window, bits, hashes, seed, capacity, errorRate } = requireLocal(filter);
    if (generations !== GENERATIONS)
      throw new RangeError(mustBe('generations of filter', '2, as in Redis', generations));
    if (window === 0) throw new RangeError(mustBe('window of filter', 'a number of milliseconds', window));
    requireSameSecret('filter', seed, this.engine.seed);
    const connection = new Connection(client, name, settings);
    const { store } = connection;
    const parameters = { cellCount: bits / GENERATIONS, hashes, seed, capacity, errorRate };
    const make = (): StoredParameters => describeRotating(parameters, spread, window, 'creating');
    await connection.requireDisk();
    const stored = await store.open(make, async (found) => {
      if (found.state === 'ready') throw new RedisFilterError('EXISTS', `there is a filter "${name}" already`);
      requireKind(name, found, true);
      requireSame(name, found, make());
      await requireKept(connection, found, true);
    });
    const shared = await new this(connection, new RotatingTarget(connection, stored)).merge(filter);
    await store.fill(stored);
    return shared;
  }

  get [Symbol.toStringTag](): 'RotatingRedisBloomFilter' {
    return 'RotatingRedisBloomFilter';
  }

  /** The number of bits of each of the two generations, a multiple of 256. */
  get bits(): number {
    return this.#target.stored.bits;
  }

  /** The number of distinct keys in one window that the filter is made for. */
  get capacity(): number {
    return this.#target.stored.capacity;
  }

  /** The share of absent keys that look present when each of two windows holds `capacity` keys, 0 … 1. */
  get errorRate(): number {
    return this.#target.stored.errorRate;
  }

  /** For how many milliseconds a key is known at least. */
  get window(): number {
    return this.#target.stored.window;
  }

  /** The memory that the bits take in Redis, in bytes. */
  get byteLength(): number {
    return this.bits / 4;
  }

  /**
   * Copies the filter to memory: both generations, so that the copy knows the same keys, and forgets them when the
   * filter in Redis does, by the clock of this process. Keys that are added meanwhile may be missing. Add no more than
   * `capacity` keys in a window to the copy, or it forgets keys early.
   *
   * @throws FilterMemoryError if there is no memory for it
   */
  toLocal(): Promise<RotatingBloomFilter> {
    return this.#connection.events.watch(() => readGenerations(this.#connection, this.#target.stored, this.#Local));
  }

  /**
   * Adds all keys that a filter in memory knows, which must not change meanwhile, as if they were added now. Sends the
   * bits of all of its generations.
   *
   * @throws TypeError | RangeError unless each generation of `filter` has the same size, and the same seed
   */
  async merge(filter: rotating.RotatingBloomFilter): Promise<this> {
    const { bits, generations, seed } = requireLocal(filter);
    if (bits / generations !== this.bits) {
      throw new RangeError(mustBe('bits of each generation of filter', String(this.bits), bits / generations));
    }
    if (seed !== this.seed) throw new RangeError(mustBeSeed('seed of filter', this.seed, seed));
    await this.#connection.events.watch(() => mergeGenerations(this.#connection, this.#target, filter));
    return this;
  }

  /**
   * Deletes the filter from Redis, if it is there. All clients that use it then get an error.
   *
   * @throws RedisFilterError ABSENT if another filter has its name now, or MISMATCH if that has other parameters
   */
  async delete(): Promise<void> {
    const { stored } = this.#target;
    await this.#connection.store.delete((found) => requireSuccessor(this.name, found, stored));
  }
}

function describe(
  given: Readonly<Record<string, unknown>>,
  spread: number,
  engine: Engine,
): ReturnType<typeof describeRotating> {
  const { capacity, errorRate = 0.01, seed, window } = given;
  requireRedisRate(errorRate, 2);
  // A key that is in neither generation can be a false positive of both.
  const half = requireRate('errorRate', errorRate) / 2;
  const { parameters } = headOf({ capacity, errorRate: half, seed }, BlockedBloomFilter[KIND], engine);
  const { cellCount, hashes } = parameters;
  const stored = { cellCount, hashes, seed: parameters.seed, capacity: parameters.capacity, errorRate: 2 * half };
  return describeRotating(stored, spread, requireInteger('window', window, 1, MAX_WINDOW));
}
