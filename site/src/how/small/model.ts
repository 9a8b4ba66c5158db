// A small filter of the library, with a list of the keys that were really added.

import { type Engine, entryOn } from '../../engine.ts';
import type { Change, LoadedKind, PictureKind, Place, SmallFilter } from './kind.ts';
import { type Action, append } from './log.ts';
import { absentNames, nameAt } from './names.ts';
import { cellsOf } from './saved-cells.ts';
import { hex } from './words.ts';

/** The bytes of the hash that are shown. */
const SHOWN_BYTES = 4;

/** The most names that are tried one by one. */
const MOST_TRIES = 1000;

export type HashKeys = typeof import('bloomery/hash').hashKeys;

export interface Measured {
  readonly asked: number;
  readonly wrong: number;
}

/** The names that were added, and the one for which there was no room, if any. */
export interface Added {
  readonly names: readonly string[];
  readonly refused?: string;
}

export class Model {
  readonly kind: PictureKind;
  readonly #engine: Engine;
  readonly #loaded: LoadedKind;
  readonly #filter: SmallFilter;
  /** A filter of the same size for one key, whose cells show where the key goes. */
  readonly #single: SmallFilter;
  readonly #hashKeys: HashKeys;
  /** How often each key was added. */
  readonly #added = new Map<string, number>();
  #actions: readonly Action[] = [];
  #named = 0;

  private constructor(kind: PictureKind, engine: Engine, loaded: LoadedKind, hashKeys: HashKeys) {
    this.kind = kind;
    this.#engine = engine;
    this.#loaded = loaded;
    this.#filter = loaded.make();
    this.#single = loaded.make();
    this.#hashKeys = hashKeys;
  }

  /** An empty filter, or one to which all this was done. */
  static async create(kind: PictureKind, engine: Engine, actions: readonly Action[] = []): Promise<Model> {
    const [loaded, { hashKeys }] = await Promise.all([kind.load(engine), entryOn(engine, 'hash')]);
    const model = new Model(kind, engine, loaded, hashKeys);
    for (const action of actions) model.#redo(action);
    return model;
  }

  /** What changed the filter, in its order. */
  get actions(): readonly Action[] {
    return this.#actions;
  }

  #redo(action: Action): void {
    if (action.type === 'remove') this.remove(action.key);
    else if (action.type === 'add') this.add(action.key);
    else this.addNames(action.count);
  }

  /** The number of keys that were added and not removed. */
  get count(): number {
    return this.#added.size;
  }

  get cells(): number[] {
    return cellsOf(this.#filter.toBytes());
  }

  /** The beginning of a key's hash, in hexadecimal. */
  hashOf(key: string): string {
    // The first half of the hash, whose lowest byte comes first.
    const half = this.#hashKeys([key]).bytes.subarray(0, 8);
    return [...half].reverse().slice(0, SHOWN_BYTES).map(hex).join('');
  }

  placeOf(key: string): Place {
    this.#single.clear();
    for (let copy = 0; copy < (this.kind.fillingCopies ?? 1); copy++) this.#single.add(key);
    const values = cellsOf(this.#single.toBytes());
    const cells = values.flatMap((value, cell) => (value > 0 ? [cell] : []));
    return { cells, entry: values[cells[0] ?? 0] ?? 0 };
  }

  has(key: string): boolean {
    return this.#filter.has(key);
  }

  wasAdded(key: string): boolean {
    return this.#added.has(key);
  }

  /** Adds a key. Returns undefined if the filter has no room for it. */
  add(key: string): Change | undefined {
    const before = this.cells;
    if (!this.#store(key)) return undefined;
    this.#actions = append(this.#actions, { type: 'add', key });
    return { ...this.placeOf(key), before, values: this.cells };
  }

  /** Adds a key, or returns false if there is no room. */
  #store(key: string): boolean {
    try {
      this.#filter.add(key);
    } catch (error) {
      if (error instanceof this.#engine.FilterFullError) return false;
      throw error;
    }
    this.#added.set(key, (this.#added.get(key) ?? 0) + 1);
    return true;
  }

  /** Adds names that were not added before, until one is refused. */
  addNames(count: number): Added {
    const names: string[] = [];
    let refused: string | undefined;
    while (names.length < count && refused === undefined) {
      const name = nameAt(this.#named);
      if (!this.#store(name)) refused = name;
      else names.push(name);
      if (refused === undefined) this.#named++;
    }
    if (names.length > 0) this.#actions = append(this.#actions, { type: 'names', count: names.length });
    return refused === undefined ? { names } : { names, refused };
  }

  /** Removes a key. Returns undefined if it looked absent. */
  remove(key: string): Change | undefined {
    const before = this.cells;
    if (this.#filter.remove?.(key) !== true) return undefined;
    this.#actions = append(this.#actions, { type: 'remove', key });
    const times = this.#added.get(key) ?? 0;
    if (times > 1) this.#added.set(key, times - 1);
    else this.#added.delete(key);
    return { ...this.placeOf(key), before, values: this.cells };
  }

  /** Removes all keys. */
  clear(): void {
    this.#filter.clear();
    this.#added.clear();
    this.#actions = [];
    this.#named = 0;
  }

  /** Keys that were added but look absent, because a key was removed that had not been added. */
  missed(): string[] {
    return this.#filter.omit([...this.#added.keys()]);
  }

  expectedErrorRate(): number {
    return this.count === 0 ? 0 : this.#loaded.expected(this.count);
  }

  /** Names that nobody added. */
  get #strangers(): string[] {
    return absentNames.filter((name) => !this.#added.has(name));
  }

  /** The first of many names that nobody added which looks present, or absent; undefined if there is none. */
  findStranger(looksPresent: boolean): string | undefined {
    return (looksPresent ? this.#filter.pick(this.#strangers) : this.#filter.omit(this.#strangers))[0];
  }

  /** The first of many names that nobody added all of whose cells are in use; undefined if there is none. */
  findCrowded(): string | undefined {
    const { cells } = this;
    const some = this.#strangers.slice(0, MOST_TRIES);
    return some.find((name) => this.placeOf(name).cells.every((cell) => cells[cell] !== 0));
  }

  measure(): Measured {
    const strangers = this.#strangers;
    return { asked: strangers.length, wrong: this.#filter.pick(strangers).length };
  }
}
