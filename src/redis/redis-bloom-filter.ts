import { BlockedBloomFilter } from '../filters/blocked.ts';
import { CELLS, KIND } from '../filters/kind.ts';
import { headOf } from '../filters/options.ts';
import type * as main from '../index.ts';
import { capacityFor, estimateCount } from '../sizing.ts';
import { expectedBlockedErrorRate } from '../sizing-blocked.ts';
import { mustBe } from '../validate.ts';
import type { RedisClient } from './adapter.ts';
import { Connection } from './connection.ts';
import { Current } from './current.ts';
import { absent, RedisFilterError } from './error.ts';
import { requireKept } from './eviction.ts';
import { Layout, shapeFor } from './layout.ts';
import {
  describeNew,
  describeWritten,
  parametersOf,
  requireAlike,
  requireKind,
  requireSame,
  type Stored,
} from './parameters.ts';
import { givenOf, type RedisBloomFilterOptions, type RedisSettings, readOptions, requireBoolean } from './settings.ts';
import { SharedFilter } from './shared-filter.ts';
import { countBits, merge, read, write } from './transfer.ts';

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
 * Adding is atomic: of several clients that add one new key at once, exactly one is told that it was new. What was
 * added is as durable as Redis: unless `wait` is set, a failover can forget the last keys.
 *
 * All methods that reach Redis reject with a `RedisFilterError`, whose `code` tells what went wrong. The error of a
 * call about many keys tells in `answers` what is known of each. To call it again is harmless, but keys that had been
 * added are then not new.
 */
export class RedisBloomFilter extends SharedFilter {
  readonly #connection: Connection;
  readonly #current: Current;

  private constructor(connection: Connection, stored: Stored) {
    const current = new Current(connection.store, stored, connection.settings.mirror);
    super(connection, current);
    this.#connection = connection;
    this.#current = current;
  }

  /**
   * Opens the filter of a name. If there is none, it is made, all of its memory at once: a second or so for a gigabyte.
   * Any number of clients may do so at once.
   *
   * @param client a connected client of `redis`, `ioredis` or `iovalkey`, or an adapter
   * @param name the key of the parameters; the keys of the bits begin with it and a colon. Without braces
   * @param options how large to make the filter, and how to use it. Without a capacity or a number of bits, the filter
   *   must have been made before
   * @throws TypeError | RangeError if an argument is wrong
   * @throws RedisFilterError MISMATCH if the filter was made with other parameters, ABSENT if there is none, FOREIGN,
   *   VERSION or DAMAGED if the key holds something else, or EVICTION if the server has a memory limit and a policy
   *   allkeys-…; not if it does not tell
   */
  static async open(
    client: RedisClient,
    name: string,
    options: RedisBloomFilterOptions = {},
  ): Promise<RedisBloomFilter> {
    const { given, settings, spread } = readOptions(options, [...FILTER_NAMES, 'mirror']);
    const connection = new Connection(client, name, settings);
    const { store } = connection;
    const wanted =
      givenOf(given, [...FILTER_NAMES, 'spread']) &&
      describeNew(headOf(givenOf(given, FILTER_NAMES) ?? {}, BlockedBloomFilter[KIND]).parameters, spread);
    await requireKept(connection, false);
    const stored = await store.prepare(wanted ? await store.create(wanted) : await store.require());
    requireKind(name, stored, false);
    if (wanted) requireSame(name, stored, wanted);
    return new RedisBloomFilter(connection, stored);
  }

  /**
   * Copies a filter from memory to Redis. Others see it once it is complete.
   *
   * @throws TypeError | RangeError if an argument is wrong
   * @throws RedisFilterError EXISTS if there is a filter of this name, unless it is to be replaced; MISMATCH if that is
   *   one that forgets; EVICTION as `open`
   */
  static async fromLocal(
    client: RedisClient,
    name: string,
    filter: BlockedBloomFilter,
    options: FromLocalOptions = {},
  ): Promise<RedisBloomFilter> {
    const { given, settings, spread } = readOptions(options, ['replace', 'mirror']);
    const mayReplace = requireBoolean('replace', given['replace'] ?? false);
    const connection = new Connection(client, name, settings);
    const { parameters } = requireLocal(filter)[CELLS];
    await requireKept(connection, false);
    const stored = await connection.store.publish(
      (old) => {
        if (old && !mayReplace) throw new RedisFilterError('EXISTS', `there is a filter "${name}" already`);
        if (old) requireKind(name, old, false);
        // Clients that use the old filter go on with the new one if it has the same parts.
        const shape = old?.bits === parameters.cellCount ? old : shapeFor(parameters.cellCount, spread);
        return describeWritten(parameters, shape, old);
      },
      (layout) => write(connection.runner, layout, filter),
    );
    return new RedisBloomFilter(connection, stored);
  }

  /** The number of bits, a multiple of 256. */
  get bits(): number {
    return this.#current.stored.bits;
  }

  /** The number of bits per key. */
  get hashes(): number {
    return this.#current.stored.hashes;
  }

  /** The number of distinct keys that the filter is made for. */
  get capacity(): number {
    const { capacity, bits, hashes } = this.#current.stored;
    return capacity || capacityFor(bits, hashes);
  }

  /** The share of absent keys that look present when the filter holds `capacity` keys, 0 … 1. */
  get errorRate(): number {
    return this.#current.stored.errorRate || expectedBlockedErrorRate(this.capacity, this.bits);
  }

  /** The memory that the bits take in Redis, in bytes; Redis takes less than 1 % more, but for remembered answers. */
  get byteLength(): number {
    return this.bits / 8;
  }

  /** Copies the filter to memory, with the same bits. What is added meanwhile may be missing. */
  toLocal(): Promise<main.BlockedBloomFilter> {
    return read(this.#connection, this.#current);
  }

  /**
   * Brings the copy in this process up to date, by copying the whole filter: it then knows the keys of all other
   * clients, and none that Redis has lost.
   *
   * @throws TypeError unless the option `mirror` is set
   */
  async refresh(): Promise<void> {
    for (;;) {
      const { mirror } = this.#current;
      if (mirror === undefined) throw new TypeError('refresh() needs the option mirror');
      const local = await this.toLocal();
      if (mirror === this.#current.mirror) return mirror.replace(local);
      // The filter was cleared meanwhile.
      local.dispose();
    }
  }

  /**
   * Adds all keys of a filter in memory. Sends all of its bits.
   *
   * @throws TypeError | RangeError unless `filter` has the same size and seed
   */
  async merge(filter: BlockedBloomFilter): Promise<this> {
    const { cellCount, seed } = requireLocal(filter)[CELLS].parameters;
    if (cellCount !== this.bits) throw new RangeError(mustBe('bits of filter', String(this.bits), cellCount));
    if (seed !== this.seed) throw new RangeError(mustBe('seed of filter', String(this.seed), seed));
    await merge(this.#connection, this.#current, filter);
    return this;
  }

  /** The share of bits that are set, 0 … 1. Redis reads the whole filter, some 1.5 GB a second. */
  async fillRatio(): Promise<number> {
    return (await countBits(this.#connection, this.#current)) / this.bits;
  }

  /** Estimates from the fill ratio how many distinct keys were added; Infinity when full. */
  async estimateCount(): Promise<number> {
    return estimateCount(await this.fillRatio(), this.bits, this.hashes);
  }

  /**
   * Removes all keys. For a moment, Redis holds the filter twice.
   *
   * @throws RedisFilterError ABSENT if it was deleted, MISMATCH if a filter with other parameters has its name now
   */
  async clear(): Promise<void> {
    const { store } = this.#connection;
    const stored = await store.publish(
      (old) => {
        if (old === undefined) throw absent(this.name);
        requireAlike(this.name, old, this.#current.stored);
        return describeWritten(parametersOf(old), old, old);
      },
      (layout) => store.make(layout),
    );
    this.#current.use(stored);
  }

  /**
   * Deletes the filter from Redis, if it is there. All clients that use it then get an error.
   *
   * @throws RedisFilterError MISMATCH if a filter with other parameters has its name now
   */
  async delete(): Promise<void> {
    const { store } = this.#connection;
    await store.delete(async (stored) => {
      requireAlike(this.name, stored, this.#current.stored);
      for (const each of [stored, stored.replaced]) if (each) await store.unlink(new Layout(this.name, each));
    });
    // The copy in this process, if there is one, must not know the keys any more.
    this.#current.use(this.#current.stored);
  }
}
