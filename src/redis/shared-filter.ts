import { Flags } from '../filters/batch.ts';
import type { Key } from '../keys/key.ts';
import { type Keys, type ManyKeys, type Picked, sourceOf } from '../keys/many.ts';
import { Batches } from './batches.ts';
import type { Connection } from './connection.ts';
import { Gather } from './gather.ts';
import type { Place, Verb } from './place.ts';
import { rereadable, select } from './select.ts';
import { readWait, type WaitOptions } from './settings.ts';

/** What all filters in Redis share: adding keys, and looking them up. */
export abstract class SharedFilter {
  readonly #connection: Connection;
  readonly #place: Place;
  readonly #batches: Batches;
  readonly #add: Gather;
  readonly #has: Gather;

  /** @internal */
  protected constructor(connection: Connection, place: Place) {
    this.#connection = connection;
    this.#place = place;
    this.#batches = new Batches(connection, place);
    this.#add = new Gather(this.#batches, 'add', place.seed);
    this.#has = new Gather(this.#batches, 'has', place.seed);
  }

  /** The key of the parameters, with which the keys of the bits begin. */
  get name(): string {
    return this.#connection.store.name;
  }

  /** The number of strings that hold the bits, at most 1 MiB each; of one generation if the filter forgets. */
  get pieces(): number {
    return this.#place.layout.count;
  }

  get kind(): 'blocked' {
    return 'blocked';
  }

  /** The seed of the hash, 0 … 2^32 − 1. */
  get seed(): number {
    return this.#place.seed;
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
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes; must not change meanwhile
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
    return select<K>(held, await this.#flags(verb, held), wanted, this.seed);
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
    const keys = new Map(Array.from(this.#place.layout.pieces(), ({ key }) => [runner.adapter.master(key), key]));
    return Math.min(...(await Promise.all(Array.from(keys.values(), (key) => runner.wait(key, checked)))));
  }
}
