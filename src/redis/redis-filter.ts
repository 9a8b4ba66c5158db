import { type Inspect, inspectSymbol } from '../filters/filter.ts';
import { flagsFor } from '../filters/results.ts';
import type { Engine } from '../kernel/region.ts';
import type { ManyKeys, Picked } from '../keys/collections.ts';
import type { Key } from '../keys/key.ts';
import { requireFunction } from '../util/checks/validate.ts';
import { checkFilter } from './check.ts';
import type { WaitOptions } from './clients/adapter.ts';
import type { RedisClient } from './clients/any-client.ts';
import { Coalescer } from './coalesce.ts';
import { Connection, requireKept } from './connection.ts';
import { refuseAbsent } from './error.ts';
import { engine, type Hash, readKeys } from './hashes.ts';
import { listFilters, type RedisListedFilter, ROUTE } from './list.ts';
import { requireKind, requireSame, requireSecret, type StoredParameters } from './parameters.ts';
import { type RedisRepairStep, repairFilter } from './repair.ts';
import type { RedisFilterReport } from './report.ts';
import type { Verb } from './scripts.ts';
import { Sender } from './send.ts';
import { type RedisSettings, readOptions, readWait, requireBoolean } from './settings.ts';
import type { SendTarget } from './target.ts';

/** Throws a TypeError if a user calls a constructor: filters come from `open` and methods like it. */
export function requireOpened(connection: unknown, Class: string): void {
  if (connection instanceof Connection) return;
  throw new TypeError(`a ${Class} is opened: use await ${Class}.open(client, name, options)`);
}

/**
 * Reads the parameters under a name. If there are none, makes the filter that `describe` describes.
 *
 * @param engine the engine of the class that opens it
 * @throws RedisFilterError if it is another filter than described, or of another class, or if a server would evict it
 */
export async function openStored(
  connection: Connection,
  describe: (() => StoredParameters) | undefined,
  isRotating: boolean,
  { seed: only }: Pick<Engine, 'seed'>,
): Promise<StoredParameters> {
  const { events, store } = connection;
  const wanted = describe?.();
  await connection.requireDisk();
  const stored = await events
    .watch(() => store.open(describe, (each) => requireKept(connection, each, isRotating)))
    .catch((error) => refuseAbsent(error, !connection.readOnly));
  requireKind(store.name, stored, isRotating);
  requireSecret(store.name, stored, only);
  if (wanted) requireSame(store.name, stored, wanted);
  return stored;
}

/** How to check a filter. */
export type RedisCheckOptions = Pick<RedisSettings, 'timeout'> & {
  /** Whether to look for strings that no filter has; default true. It takes long if the servers have many keys. */
  orphans?: boolean | undefined;
};

/** How to repair a filter. */
export type RedisRepairOptions = Pick<RedisSettings, 'timeout'> & {
  /** Whether to do nothing, and only return what would be done; default false. */
  dryRun?: boolean | undefined;
  /** Called before each step. */
  onStep?: ((step: RedisRepairStep) => void) | undefined;
};

/** What all filters in Redis share: adding keys, and looking them up. */
export abstract class RedisFilter {
  /** What hashes the keys of all filters of this class. */
  static readonly engine: Engine = engine;
  readonly #connection: Connection;
  readonly #target: SendTarget;
  readonly #hash: Hash;
  readonly #sender: Sender;
  readonly #add: Coalescer;
  readonly #has: Coalescer;

  /** @internal */
  protected constructor(connection: Connection, target: SendTarget) {
    this.#connection = connection;
    this.#target = target;
    this.#hash = { engine: new.target.engine, seed: target.seed };
    this.#sender = new Sender(connection, target);
    this.#add = new Coalescer(this.#sender, 'add', this.#hash);
    this.#has = new Coalescer(this.#sender, 'has', this.#hash);
  }

  /**
   * Deletes the filter of a name, of either class, without opening it, even if it is damaged, lost in part, or half
   * made. A running `clear` or `fromLocal` of the name fails or begins again.
   *
   * @param options `timeout`
   * @returns whether there was anything to delete
   * @throws TypeError | RangeError if an argument is wrong
   * @throws RedisFilterError FOREIGN or VERSION if the key holds something else, or TIMEOUT or CONNECTION if a server
   *   does not answer
   */
  static async delete(
    client: RedisClient,
    name: string,
    options: Pick<RedisSettings, 'timeout'> = {},
  ): Promise<boolean> {
    return new Connection(client, name, readOptions(options, []).settings).store.delete();
  }

  /**
   * Describes the filter of a name, of either class, with or without a secret: whether it is whole, what is wrong and
   * what to do about it, how full it is, and which server holds what. Changes nothing, and needs no right to write. It
   * also works if the filter is damaged, lost or was never made.
   *
   * Redis counts the bits, some 1.5 GB a second. To find orphans, it goes through the names of all keys of all masters:
   * for a million keys, that takes it a second, in steps of half a millisecond.
   *
   * @throws TypeError | RangeError if an argument is wrong
   * @throws RedisFilterError NOPERM if the user lacks a right, or TIMEOUT or CONNECTION if no master answers
   */
  static async check(client: RedisClient, name: string, options: RedisCheckOptions = {}): Promise<RedisFilterReport> {
    const { given, settings } = readOptions(options, ['orphans']);
    const { orphans = true } = given;
    const looksForOrphans = requireBoolean('orphans', orphans);
    return checkFilter(new Connection(client, name, settings).runner, name, looksForOrphans);
  }

  /**
   * Repairs the filter of a name, of either class, as far as no key is at risk. It finishes a half made filter, and
   * restores lost parameters and lists if everything else is there. If the filter is whole, it deletes what dead
   * clients have left, and pieces that no filter has. It does not touch anything that is lost or in doubt: see `check`.
   *
   * @returns what was done, or is to be done
   * @throws TypeError | RangeError if an argument is wrong
   * @throws RedisFilterError NOPERM if the user lacks a right, or TIMEOUT or CONNECTION if a server does not answer
   */
  static async repair(client: RedisClient, name: string, options: RedisRepairOptions = {}): Promise<RedisRepairStep[]> {
    const { given, settings } = readOptions(options, ['dryRun', 'onStep']);
    const { dryRun = false } = given;
    const isDry = requireBoolean('dryRun', dryRun);
    const { onStep = () => {} } = options;
    requireFunction('onStep', onStep);
    return repairFilter(new Connection(client, name, settings), isDry, onStep);
  }

  /**
   * Lists all filters of a server or a cluster, of both classes, in the order of their names, and strings that no
   * filter has. Goes through the names of all keys, as `check` does. It does not find a filter of which only the
   * parameters are left, such as one that forgets and has not been used for two windows; `check` describes it.
   *
   * @throws TypeError | RangeError if an argument is wrong
   * @throws RedisFilterError NOPERM if the user lacks a right, or TIMEOUT or CONNECTION if a server does not answer
   */
  static async list(client: RedisClient, options: Pick<RedisSettings, 'timeout'> = {}): Promise<RedisListedFilter[]> {
    return listFilters(new Connection(client, ROUTE, readOptions(options, []).settings).runner);
  }

  /** The name of the class, in minified code and subclasses too. */
  abstract get [Symbol.toStringTag](): string;

  /** What `console.log` shows of the filter, without asking Redis. */
  [inspectSymbol](depth: number, options: object, inspect: Inspect): string {
    const className = this[Symbol.toStringTag];
    if (depth < 0) return `[${className}]`;
    const names = ['name', 'capacity', 'errorRate', 'window', 'bits', 'seed', 'pieces'].filter((each) => each in this);
    const shown = names.map((each): [string, unknown] => [each, Reflect.get(this, each)]);
    return `${className} ${inspect(Object.fromEntries(shown), options)}`;
  }

  /** The key of the parameters. The keys of the bits begin with it. */
  get name(): string {
    return this.#connection.store.name;
  }

  /** The number of strings that hold the bits, at most 1 MiB each; of one generation if the filter forgets. */
  get pieces(): number {
    return this.#target.layout.count;
  }

  /** The kind of filter whose bits the pieces have, also if the filter forgets. */
  get kind(): 'blocked' {
    return 'blocked';
  }

  /**
   * The seed of the hash, 0 … 2^32 − 1. For a filter with a secret (see `keyed`), it is 2^32 plus a 32-bit number that
   * is derived from the secret.
   */
  get seed(): number {
    return this.#target.seed;
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
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes; must not change meanwhile
   * @param out receives a flag for each key, in order: 1 where `add` would return true
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been added
   * @throws TypeError | RangeError, before adding anything, if `out` is too short, or if `out` is given and the number
   *   of keys is unknown
   */
  async addMany<K>(keys: ManyKeys<K>, out?: Uint8Array): Promise<this> {
    const reader = readKeys(keys, this.#hash);
    if (out === undefined) {
      await this.#sender.sendAll('note', reader);
      return this;
    }
    const { source } = reader;
    const flags = flagsFor(source, out);
    flags.require(source.count?.() ?? 0);
    await this.#sender.sendAll('add', reader, (part) => flags.push(part));
    return this;
  }

  /**
   * Looks up many keys.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes; must not change meanwhile
   * @param out receives the flags; optional
   * @returns a flag for each key, in order: 1 where `has` would return true; `out` or a view of its beginning if `out`
   *   is given
   * @throws TypeError | RangeError if one of `keys` is not a key, if `out` is too short, or if `out` is given and the
   *   number of keys is unknown
   */
  async hasMany<K, B extends ArrayBufferLike = ArrayBuffer>(
    keys: ManyKeys<K>,
    out?: Uint8Array<B>,
  ): Promise<Uint8Array<B>> {
    const reader = readKeys(keys, this.#hash);
    const flags = flagsFor(reader.source, out);
    await this.#sender.sendAll('has', reader, (part) => flags.push(part));
    return flags.take();
  }

  /**
   * Adds many keys, and returns those that were certainly absent before, in the shape of `keys`, as `pick` does.
   *
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been added
   */
  dedupe<K>(keys: ManyKeys<K>): Promise<Picked<K>> {
    return this.#select<K>('add', keys, 1);
  }

  /**
   * Picks the keys that may be present, in the shape of `keys`: see `pick` of filters in memory. `keys` must not change
   * meanwhile.
   *
   * @throws TypeError | RangeError if one of `keys` is not a key
   */
  pick<K>(keys: ManyKeys<K>): Promise<Picked<K>> {
    return this.#select<K>('has', keys, 1);
  }

  /**
   * Picks the keys that are certainly absent, in the shape of `keys`, as `pick` does.
   *
   * @throws TypeError | RangeError if one of `keys` is not a key
   */
  omit<K>(keys: ManyKeys<K>): Promise<Picked<K>> {
    return this.#select<K>('has', keys, 0);
  }

  async #select<K>(verb: Verb, keys: ManyKeys<K>, wanted: 0 | 1): Promise<Picked<K>> {
    const reader = readKeys(keys, this.#hash, true);
    await this.#sender.sendAll(verb, reader, (flags) => reader.keep(flags, wanted));
    return reader.source.kept() as Picked<K>;
  }

  /**
   * Waits until replicas of every master have confirmed all that was written to it. Returns the lowest number of
   * replicas of a master, which is below `replicas` if time runs out, and −1 while a slot is being moved, or if a master
   * itself does not have on disk what `local` wants there. After a failover it may count replicas of a new master, which
   * may lack keys that were added before. The option `wait` notices that.
   *
   * @throws TypeError | RangeError if an argument is wrong
   */
  async replicated(wait: WaitOptions): Promise<number> {
    const checked = readWait(wait);
    const { runner } = this.#connection;
    const keys = new Map(Array.from(this.#target.layout.pieces(), ({ key }) => [runner.adapter.master(key), key]));
    const counts = await Promise.all(Array.from(keys.values(), (key) => runner.wait(key, checked)));
    return Math.min(...counts);
  }
}
