// A small filter of the library, and what was really added to it.

import type { BloomFilter } from 'bloomery';
import { chooseEngine, type Engine } from '../engine.ts';
import type { PictureKind, SmallFilter } from './kinds.ts';
import { absentNames, nameAt } from './names.ts';
import { cellsOf, onlyBit } from './saved-cells.ts';

/** A filter of 2^20 bits of which a key sets one has that bit where the first 20 bits of the hash say. */
const HASH_BITS = 20;

/** Shows the beginning of a key's hash. */
class HashReader {
  readonly #filter: BloomFilter;

  constructor({ BloomFilter }: Engine) {
    this.#filter = new BloomFilter({ bits: 2 ** HASH_BITS, hashes: 1 });
  }

  /** In hexadecimal. */
  read(key: string): string {
    this.#filter.clear();
    this.#filter.add(key);
    return onlyBit(this.#filter.toBytes())
      .toString(16)
      .padStart(HASH_BITS / 4, '0');
  }
}

export interface Measured {
  readonly asked: number;
  readonly wrong: number;
  /** A few of the names that look present. */
  readonly examples: readonly string[];
}

export class Model {
  readonly kind: PictureKind;
  readonly #engine: Engine;
  readonly #filter: SmallFilter;
  /** Of the same size: to see where one key goes. */
  readonly #single: SmallFilter;
  readonly #hash: HashReader;
  /** How often each key was added. */
  readonly #added = new Map<string, number>();
  #named = 0;

  constructor(kind: PictureKind, engine: Engine) {
    this.kind = kind;
    this.#engine = engine;
    this.#filter = kind.make(engine);
    this.#single = kind.make(engine);
    this.#hash = new HashReader(engine);
  }

  static async create(kind: PictureKind): Promise<Model> {
    return new Model(kind, await chooseEngine());
  }

  /** The number of keys that are in it. */
  get count(): number {
    return this.#added.size;
  }

  get cells(): number[] {
    return cellsOf(this.#filter.toBytes());
  }

  hashOf(key: string): string {
    return this.#hash.read(key);
  }

  /** Which cells the filter sets for a key, in ascending order. */
  cellsOfKey(key: string): number[] {
    this.#single.clear();
    this.#single.add(key);
    return cellsOf(this.#single.toBytes()).flatMap((value, cell) => (value > 0 ? [cell] : []));
  }

  has(key: string): boolean {
    return this.#filter.has(key);
  }

  wasAdded(key: string): boolean {
    return this.#added.has(key);
  }

  /** Returns true if the key was certainly absent before. */
  add(key: string): boolean {
    this.#added.set(key, (this.#added.get(key) ?? 0) + 1);
    return this.#filter.add(key);
  }

  /** Adds names that were not added before, and returns them. */
  addNames(count: number): string[] {
    const names = Array.from({ length: count }, () => nameAt(this.#named++));
    for (const name of names) this.add(name);
    return names;
  }

  /** Returns true if the key looked present before. */
  remove(key: string): boolean {
    const times = this.#added.get(key) ?? 0;
    if (times > 1) this.#added.set(key, times - 1);
    else this.#added.delete(key);
    return this.#filter.remove?.(key) === true;
  }

  /** Removes all keys. */
  clear(): void {
    this.#filter.clear();
    this.#added.clear();
    this.#named = 0;
  }

  /** Keys that were added and look absent. There are none unless a key was removed that had not been added. */
  lost(): string[] {
    return this.#filter.omit([...this.#added.keys()]);
  }

  expectedErrorRate(): number {
    return this.count === 0 ? 0 : this.kind.expected(this.#engine, this.count);
  }

  measure(): Measured {
    const absent = absentNames.filter((name) => !this.#added.has(name));
    const present = this.#filter.pick(absent);
    return { asked: absent.length, wrong: present.length, examples: present.slice(0, 5) };
  }
}
