import { Flags } from '../filters/batch.ts';
import { BlockedBloomFilter } from '../filters/blocked.ts';
import { CELLS, KIND } from '../filters/kind.ts';
import { readParameters } from '../filters/options.ts';
import type * as main from '../index.ts';
import type { Key } from '../keys/key.ts';
import { type Keys, type ManyKeys, type Picked, sourceOf } from '../keys/many.ts';
import { capacityFor, estimateCount } from '../sizing.ts';
import { expectedBlockedErrorRate } from '../sizing-blocked.ts';
import { mustBe } from '../validate.ts';
import type { RedisClient } from './adapter.ts';
import { Batches, type Verb } from './batches.ts';
import { Connection } from './connection.ts';
import { Current } from './current.ts';
import { RedisFilterError } from './error.ts';
import { Gather } from './gather.ts';
import { shapeFor } from './layout.ts';
import { describeNew, describeWritten, parametersOf, requireSame, type Stored } from './parameters.ts';
import { rereadable, select } from './select.ts';
import {
  type RedisBloomFilterOptions,
  type RedisSettings,
  readOptions,
  readWait,
  type WaitOptions,
} from './settings.ts';
import { countBits, merge, read, write } from './transfer.ts';

/** How to bring a filter into Redis. */
export type FromLocalOptions = RedisSettings & {
  /** Over how many slots of a cluster to spread the filter, 1 … 1024; default 16. */
  spread?: number | undefined;
  /** Whether to replace a filter of this name; default false. */
  replace?: boolean | undefined;
};

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
 * Adding is atomic: of several clients that add one new key at once, exactly one is told that it was new. What was added
 * is as durable as Redis: unless `wait` is set, a failover can forget the last keys.
 *
 * All methods that reach Redis reject with a `RedisFilterError`, whose `code` tells what went wrong. The error of a call
 * about many keys tells in `answers` what is known of each. To call it again is harmless, but keys that had been added
 * are then not new.
 */
export class RedisBloomFilter {
  readonly #connection: Connection;
  readonly #current: Current;
  readonly #batches: Batches;
  readonly #add: Gather;
  readonly #has: Gather;

  private constructor(connection: Connection, stored: Stored) {
    this.#connection = connection;
    this.#current = new Current(connection.store, stored, connection.settings.mirror);
    this.#batches = new Batches(connection, this.#current);
    this.#add = new Gather(this.#batches, 'add', stored.seed);
    this.#has = new Gather(this.#batches, 'has', stored.seed);
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
   * @throws RedisFilterError MISMATCH if the filter was made with other parameters, ABSENT if there is none, or FOREIGN,
   *   VERSION or DAMAGED if the key holds something else
   */
  static async open(client: RedisClient, name: string, options?: RedisBloomFilterOptions): Promise<RedisBloomFilter> {
    const { settings, filter, spread } = readOptions(options);
    const connection = new Connection(client, name, settings);
    const { store } = connection;
    if (filter === undefined) return new RedisBloomFilter(connection, await store.finish(await store.require()));
    const wanted = describeNew(readParameters(filter, BlockedBloomFilter[KIND]), spread);
    const stored = await store.create(wanted);
    requireSame(name, stored, wanted);
    return new RedisBloomFilter(connection, await store.finish(stored));
  }

  /**
   * Copies a filter from memory to Redis. Others see it once it is complete.
   *
   * @throws TypeError | RangeError if an argument is wrong
   * @throws RedisFilterError EXISTS if there is a filter of this name, unless it is to be replaced
   */
  static async fromLocal(
    client: RedisClient,
    name: string,
    filter: BlockedBloomFilter,
    { replace = false, ...options }: FromLocalOptions = {},
  ): Promise<RedisBloomFilter> {
    const { settings, spread } = readOptions(options);
    const connection = new Connection(client, name, settings);
    const { parameters } = requireLocal(filter)[CELLS];
    const stored = await connection.store.publish(
      (old) => {
        if (old && !replace) throw new RedisFilterError('EXISTS', `there is a filter "${name}" already`);
        return describeWritten(parameters, shapeFor(parameters.cellCount, spread), old);
      },
      (layout) => write(connection.runner, layout, filter),
    );
    return new RedisBloomFilter(connection, stored);
  }

  /** The key of the parameters, with which the keys of the bits begin. */
  get name(): string {
    return this.#connection.store.name;
  }

  get kind(): 'blocked' {
    return 'blocked';
  }

  /** The number of bits, a multiple of 256. */
  get bits(): number {
    return this.#current.stored.bits;
  }

  /** The number of bits per key. */
  get hashes(): number {
    return this.#current.stored.hashes;
  }

  /** The seed of the hash, 0 … 2^32 − 1. */
  get seed(): number {
    return this.#current.stored.seed;
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

  /** The memory that the bits take in Redis, in bytes; Redis itself takes less than 1 % more. */
  get byteLength(): number {
    return this.bits / 8;
  }

  /**
   * Adds a key. Calls made while another is on its way are sent together.
   *
   * @returns true if the key was certainly absent before
   * @throws TypeError | RangeError if `key` is not a key
   */
  add(key: Key): Promise<boolean> {
    return this.#add.ask(key);
  }

  /**
   * Whether a key may be present. Calls made while another is on its way are sent together.
   *
   * @throws TypeError | RangeError if `key` is not a key
   */
  has(key: Key): Promise<boolean> {
    return this.#has.ask(key);
  }

  /**
   * Adds many keys.
   *
   * @param keys an array or iterable of keys, an integer array, lines or a column; must not change meanwhile
   * @param out receives a flag for each key, in order: 1 where `add` would return true
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been added
   * @throws TypeError | RangeError, before adding anything, if `out` is too short, or if `out` is given and the number
   *   of keys is unknown
   */
  async addMany<K extends Keys>(keys: ManyKeys<K>, out?: Uint8Array): Promise<this> {
    if (out === undefined) {
      await this.#batches.all('note', keys);
      return this;
    }
    const source = sourceOf(keys);
    const flags = new Flags(source, out);
    flags.require(source.count?.() ?? 0);
    await this.#batches.all('add', keys, flags);
    return this;
  }

  /**
   * Looks up many keys.
   *
   * @param keys an array or iterable of keys, an integer array, lines or a column; must not change meanwhile
   * @param out receives the flags; optional
   * @returns a flag for each key, in order: 1 where `has` would return true; a view of `out` if `out` is given
   * @throws TypeError | RangeError if one of `keys` is not a key, if `out` is too short, or if `out` is given and the
   *   number of keys is unknown
   */
  hasMany<K extends Keys, B extends ArrayBufferLike = ArrayBuffer>(
    keys: ManyKeys<K>,
    out?: Uint8Array<B>,
  ): Promise<Uint8Array<B>> {
    return this.#flags('has', keys, out);
  }

  /**
   * Adds many keys, and returns those that were certainly absent before, in the shape of `keys`, as `pick` does.
   *
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been added
   */
  dedupe<K extends Keys>(keys: ManyKeys<K>): Promise<Picked<K>> {
    return this.#select<K>('add', keys, 1);
  }

  /**
   * Picks the keys that may be present, in the shape of `keys`: see `pick` of filters in memory. `keys` must not change
   * meanwhile.
   *
   * @throws TypeError | RangeError if one of `keys` is not a key
   */
  pick<K extends Keys>(keys: ManyKeys<K>): Promise<Picked<K>> {
    return this.#select<K>('has', keys, 1);
  }

  /**
   * Picks the keys that are certainly absent, in the shape of `keys`, as `pick` does.
   *
   * @throws TypeError | RangeError if one of `keys` is not a key
   */
  omit<K extends Keys>(keys: ManyKeys<K>): Promise<Picked<K>> {
    return this.#select<K>('has', keys, 0);
  }

  async #flags<B extends ArrayBufferLike>(verb: Verb, keys: unknown, out?: Uint8Array<B>): Promise<Uint8Array<B>> {
    const flags = new Flags(sourceOf(keys), out);
    await this.#batches.all(verb, keys, flags);
    return flags.take();
  }

  async #select<K extends Keys>(verb: Verb, keys: ManyKeys<K>, wanted: 0 | 1): Promise<Picked<K>> {
    const held = rereadable(keys);
    return select<K>(held, await this.#flags(verb, held), wanted);
  }

  /**
   * Waits until replicas of every master have confirmed all that this client has written, and returns the least number
   * of them. Fewer than `replicas` if time runs out. After a failover it may count replicas of a new master, which says
   * nothing of keys added before: the option `wait` tells them apart.
   *
   * @throws TypeError | RangeError if an argument is wrong
   */
  async replicated(wait: WaitOptions): Promise<number> {
    const checked = readWait(wait);
    const { runner } = this.#connection;
    const { layout } = this.#current;
    const keys = new Map(Array.from(layout.pieces(), ({ key }) => [runner.adapter.master(key), key]));
    return Math.min(...(await Promise.all(Array.from(keys.values(), (key) => runner.wait(key, checked)))));
  }

  /** Copies the filter to memory, with the same bits. What is added meanwhile may be missing. */
  toLocal(): Promise<main.BlockedBloomFilter> {
    return read(this.#connection, this.#current);
  }

  /**
   * Brings the copy in this process up to date, by copying the whole filter. Without it, the copy knows only the keys
   * that this process has asked for.
   *
   * @throws TypeError unless the option `mirror` is set
   */
  async refresh(): Promise<void> {
    const { mirror } = this.#current;
    if (mirror === undefined) throw new TypeError('refresh() needs the option mirror');
    const local = await this.toLocal();
    mirror.filter.merge(local);
    local.dispose();
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

  /** The share of bits that are set, 0 … 1. Redis reads the whole filter, at several gigabytes a second. */
  async fillRatio(): Promise<number> {
    return (await countBits(this.#connection, this.#current)) / this.bits;
  }

  /** Estimates from the fill ratio how many distinct keys were added; Infinity when full. */
  async estimateCount(): Promise<number> {
    return estimateCount(await this.fillRatio(), this.bits, this.hashes);
  }

  /** Removes all keys. For a moment, Redis holds the filter twice. */
  async clear(): Promise<void> {
    const { store } = this.#connection;
    const stored = await store.publish(
      (old) => {
        if (old) return describeWritten(parametersOf(old), old, old);
        throw new RedisFilterError('ABSENT', `there is no filter "${this.name}"`);
      },
      (layout) => store.make(layout),
    );
    requireSame(this.name, stored, this.#current.stored);
    this.#current.use(stored);
  }

  /** Deletes the filter from Redis. All clients that use it then get an error. */
  async delete(): Promise<void> {
    const { store } = this.#connection;
    const stored = await store.read();
    if (stored) await store.delete(stored);
  }
}
