import { capacityFor, estimateCount } from '../filters/estimate.ts';
import { headOf } from '../filters/filter-options.ts';
import { CELLS, KIND } from '../filters/kind.ts';
import { BlockedBloomFilter } from '../kinds/blocked/filter.ts';
import { expectedBlockedErrorRate } from '../kinds/blocked/sizing.ts';
import * as main from '../kinds/wasm.ts';
import { requireSameSecret } from '../util/checks/secrets.ts';
import { mustBe, mustBeSeed } from '../util/checks/validate.ts';
import type { RedisClient } from './clients/any-client.ts';
import { Connection, requireKept } from './connection.ts';
import { absent, RedisFilterError } from './error.ts';
import { partitionFor } from './layout.ts';
import {
  describeNew,
  describeWritten,
  parametersOf,
  requireKind,
  requireSuccessor,
  type StoredParameters,
} from './parameters.ts';
import { openStored, RedisFilter, requireOpened } from './redis-filter.ts';
import {
  givenOf,
  type RedisBloomFilterOptions,
  type RedisSettings,
  readOptions,
  requireBoolean,
  requireRedisRate,
} from './settings.ts';
import { FixedTarget } from './target.ts';
import { bytesOf, countBits, merge, read } from './transfer.ts';

/** How to bring a filter into Redis. */
export type FromLocalOptions = RedisSettings & {
  /** Over how many slots of a cluster to spread the filter, 1 … 1024; default 16. */
  spread?: number | undefined;
  /** Whether to replace a filter of this name; default false. */
  replace?: boolean | undefined;
};

const FILTER_NAMES = ['capacity', 'errorRate', 'bits', 'seed'];

function requireLocal(filter: BlockedBloomFilter): BlockedBloomFilter {
  if (filter instanceof BlockedBloomFilter) return filter;
  throw new TypeError(mustBe('filter', 'a BlockedBloomFilter', filter));
}

/**
 * A Bloom filter in Redis or Valkey, which many processes share: a `BlockedBloomFilter` with the same bits as one in
 * memory or in a file, in strings of at most 1 MiB, spread over the masters of a cluster.
 *
 * ```ts
 * const seen = await RedisBloomFilter.open(client, 'seen', { capacity: 1e9, errorRate: 0.01 });
 * await seen.add('https://example.com/'); // true: of all processes, this one came first
 * ```
 *
 * Adding is atomic: if several clients add one new key at once, exactly one of them gets `true`. Keys are as durable as
 * Redis: unless `wait` is set, a failover can lose the last ones.
 *
 * All methods that reach Redis reject with a `RedisFilterError`, whose `code` says what went wrong. After a call about
 * many keys, the error has partial results in `answers`. The call can be repeated without harm, but keys that it had
 * added are then not new.
 */
export class RedisBloomFilter extends RedisFilter {
  /**
   * The class of copies in memory.
   *
   * @internal
   */
  static readonly local: typeof main.BlockedBloomFilter = main.BlockedBloomFilter;
  readonly #connection: Connection;
  readonly #target: FixedTarget;

  private constructor(connection: Connection, stored: StoredParameters) {
    requireOpened(connection, 'RedisBloomFilter');
    const target = new FixedTarget(connection.store, stored, new.target.local, connection.settings.mirror);
    super(connection, target);
    this.#connection = connection;
    this.#target = target;
  }

  /**
   * Opens the filter of a name. If there is none, makes it, and allocates all of its memory at once, which takes a
   * second or so for a gigabyte. Any number of clients may do so at the same time.
   *
   * @param client a connected client of `redis`, `ioredis`, `iovalkey` or `@valkey/valkey-glide`, or an adapter
   * @param name the key of the parameters; the keys of the bits begin with it and a colon. Without braces
   * @param options how large to make the filter, and how to use it. Without a capacity or a number of bits, the filter
   *   must have been made before
   * @throws TypeError | RangeError if an argument is wrong
   * @throws RedisFilterError MISMATCH if the filter was made with other parameters, SECRET if under another secret,
   *   ABSENT if there is none, FOREIGN, VERSION or DAMAGED if the key holds something else, LOST if its parameters and
   *   other parts are gone, OOM if it does not fit (then nothing is left of it), or EVICTION if a server with a part of
   *   it has a memory limit and a policy allkeys-…. If a server does not tell its policy, for example because the user
   *   may not run INFO, a warning with the code BLOOMERY_EVICTION is emitted
   * @throws FilterMemoryError if there is no memory for the copy that the option `mirror` keeps
   */
  static async open(
    client: RedisClient,
    name: string,
    options: RedisBloomFilterOptions = {},
  ): Promise<RedisBloomFilter> {
    const { given, settings, spread } = readOptions(options, [...FILTER_NAMES, 'mirror']);
    requireRedisRate(given['errorRate']);
    const connection = new Connection(client, name, settings);
    const isWanted = givenOf(given, [...FILTER_NAMES, 'spread']) !== undefined;
    const { engine } = this;
    const describe = (): StoredParameters =>
      describeNew(headOf(givenOf(given, FILTER_NAMES) ?? {}, BlockedBloomFilter[KIND], engine).parameters, spread);
    return new this(connection, await openStored(connection, isWanted ? describe : undefined, false, engine));
  }

  /**
   * Copies a filter from memory, which must not change meanwhile, to Redis. Other clients see it once it is complete.
   *
   * @throws TypeError | RangeError if an argument is wrong, or if `filter` was made under another secret than the class
   * @throws RedisFilterError EXISTS if there is a filter of this name, unless it is to be replaced; MISMATCH if that is
   *   one that forgets; LOST if a server loses a part of it meanwhile; EVICTION as `open`
   */
  static async fromLocal(
    client: RedisClient,
    name: string,
    filter: BlockedBloomFilter,
    options: FromLocalOptions = {},
  ): Promise<RedisBloomFilter> {
    const { given, settings, spread } = readOptions(options, ['replace', 'mirror']);
    const { replace = false } = given;
    const mayReplace = requireBoolean('replace', replace);
    const connection = new Connection(client, name, settings);
    const { parameters } = requireLocal(filter)[CELLS];
    requireSameSecret('filter', parameters.seed, this.engine.seed);
    await connection.requireDisk();
    const publish = () =>
      connection.store.publish(
        async (old) => {
          if (old && !mayReplace) throw new RedisFilterError('EXISTS', `there is a filter "${name}" already`);
          if (old) requireKind(name, old, false);
          // Clients that use the old filter go on with the new one if it has the same parts.
          const shape = old?.bits === parameters.cellCount ? old : partitionFor(parameters.cellCount, spread);
          const next = describeWritten(parameters, shape, old);
          await requireKept(connection, next, false);
          return next;
        },
        (piece) => bytesOf(filter, piece),
      );
    return new this(connection, await connection.events.watch(publish));
  }

  get [Symbol.toStringTag](): 'RedisBloomFilter' {
    return 'RedisBloomFilter';
  }

  /** The number of bits, a multiple of 256. */
  get bits(): number {
    return this.#target.stored.bits;
  }

  /** The number of bits per key. */
  get hashes(): number {
    return this.#target.stored.hashes;
  }

  /** The number of distinct keys that the filter is made for. */
  get capacity(): number {
    const { capacity, bits, hashes } = this.#target.stored;
    return capacity || capacityFor(bits, hashes);
  }

  /** The share of absent keys that look present when the filter holds `capacity` keys, 0 … 1. */
  get errorRate(): number {
    return this.#target.stored.errorRate || expectedBlockedErrorRate(this.capacity, this.bits);
  }

  /**
   * The memory of the bits in Redis, in bytes. Redis takes less than 1 % more, plus some memory for remembered answers.
   */
  get byteLength(): number {
    return this.bits / 8;
  }

  /**
   * Copies the filter to memory, with the same bits. Keys that are added meanwhile may be missing.
   *
   * @throws FilterMemoryError if there is no memory for it
   */
  toLocal(): Promise<main.BlockedBloomFilter> {
    return read(this.#connection, this.#target);
  }

  /**
   * Replaces the copy in this process by a complete one. It then has the keys of all other clients, and none that Redis
   * has lost.
   *
   * @throws TypeError unless the option `mirror` is set; FilterMemoryError if there is no memory for the copy
   */
  async refresh(): Promise<void> {
    for (;;) {
      const { mirror } = this.#target;
      if (mirror === undefined) throw new TypeError('refresh() needs the option mirror');
      const local = await this.toLocal();
      if (mirror === this.#target.mirror) return mirror.replace(local);
      // The filter was cleared meanwhile.
      local.dispose();
    }
  }

  /**
   * Adds all keys of a filter in memory, which must not change meanwhile. Sends all of its bits.
   *
   * @throws TypeError | RangeError unless `filter` has the same size and seed
   */
  async merge(filter: BlockedBloomFilter): Promise<this> {
    const { cellCount, seed } = requireLocal(filter)[CELLS].parameters;
    if (cellCount !== this.bits) throw new RangeError(mustBe('bits of filter', String(this.bits), cellCount));
    if (seed !== this.seed) throw new RangeError(mustBeSeed('seed of filter', this.seed, seed));
    await merge(this.#connection, this.#target, filter);
    return this;
  }

  /** The share of bits that are set, 0 … 1. Redis reads the whole filter, at some 1.5 GB a second. */
  async fillRatio(): Promise<number> {
    return (await countBits(this.#connection, this.#target)) / this.bits;
  }

  /** Estimates from the fill ratio how many distinct keys were added; Infinity when full. */
  async estimateCount(): Promise<number> {
    return estimateCount(await this.fillRatio(), this.bits, this.hashes);
  }

  /**
   * Removes all keys. For a moment, Redis holds the filter twice.
   *
   * @throws RedisFilterError ABSENT if it was deleted, even if another filter has its name now; MISMATCH if that has
   *   other parameters
   */
  async clear(): Promise<void> {
    const { events, store } = this.#connection;
    const publish = () =>
      store.publish((old) => {
        if (old === undefined) throw absent(this.name);
        requireSuccessor(this.name, old, this.#target.stored);
        return describeWritten(parametersOf(old), old, old);
      });
    this.#target.use(await events.watch(publish));
  }

  /**
   * Deletes the filter from Redis, if it is there. All clients that use it then get an error.
   *
   * @throws RedisFilterError ABSENT if another filter has its name now, or MISMATCH if that has other parameters
   */
  async delete(): Promise<void> {
    const { stored } = this.#target;
    await this.#connection.store.delete((found) => requireSuccessor(this.name, found, stored));
    // Empties the copy in this process, if there is one.
    this.#target.use(stored);
  }
}
