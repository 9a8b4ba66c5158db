import type { Instance } from '../kernel/kernel.ts';
import { hashKeys } from './encode.ts';
import { type Key, requireKey } from './key.ts';
import type { Source } from './source.ts';

/** The most keys in a window: so few that they stay in the cache until they are hashed. */
const WINDOW_KEYS = 768;
/** A window is also full once its strings have this many UTF-16 units. Byte arrays count if they are copied. */
const WINDOW_LENGTH = 16384;

/** Keys that were read and checked, in an array that user code cannot reach. */
interface KeyWindow {
  readonly keys: readonly Key[];
  /** The number of keys. The array may have room for more. */
  readonly count: number;
  /** Throws the error that came after the last key, if there was one. */
  readonly fail?: () => never;
}

/**
 * Reads the next values of a list, from `start` on.
 *
 * The loop does little more than add up the lengths of strings, so the processor waits for many strings at once if they
 * are in no cache. The array is new: to store a value in an old one, V8 also reads the header of the value's page.
 */
function read(list: readonly unknown[], start: number): KeyWindow {
  // A proxy may say that its length is no integer.
  const keys: Key[] = new Array(Math.max(0, Math.min(list.length - start, WINDOW_KEYS) | 0));
  let count = 0;
  let length = 0;
  try {
    for (; count < keys.length && length < WINDOW_LENGTH; count++) {
      const value = list[start + count];
      if (typeof value === 'string') length += value.length;
      else if (value === undefined && start + count >= list.length) break;
      else requireKey(value, start + count);
      keys[count] = value;
    }
  } catch (error) {
    const fail = (): never => {
      throw error;
    };
    return { keys, count, fail };
  }
  return { keys, count };
}

/**
 * If a key is invalid or cannot be read, those before it are yielded first. Windows of long strings or byte arrays are
 * short, because maybe nothing else holds the keys.
 */
function* windowsOf(iterable: Iterable<unknown>): Generator<Key[], void> {
  let keys: Key[] = [];
  let length = 0;
  let position = 0;
  try {
    for (const value of iterable) {
      requireKey(value, position++);
      // Copied, because an iterable may yield the same buffer again with new contents.
      const key = typeof value === 'object' ? new Uint8Array(value) : value;
      if (typeof key === 'string' || typeof key === 'object') length += key.length;
      if (keys.push(key) < WINDOW_KEYS && length < WINDOW_LENGTH) continue;
      const full = keys;
      keys = [];
      length = 0;
      yield full;
    }
  } finally {
    if (keys.length > 0) yield keys;
  }
}

const { values: valuesOf } = Set.prototype;

/**
 * Reads the keys of an array or any other iterable. If a key is invalid or cannot be read, the keys before it are
 * delivered first, then the error is thrown.
 */
export class ListSource implements Source {
  readonly count: (() => number) | undefined;
  readonly #kept: Key[] = [];
  /** A set with the iterator of all sets. */
  readonly #set: Set<unknown> | undefined;
  /** The values of an array or a set. */
  #list: readonly unknown[] | undefined;
  /** The number of values of the list that were read. */
  #start = 0;
  /** The keys of any other iterable. */
  readonly #windows: Generator<Key[], void> | undefined;
  #window: KeyWindow = { keys: [], count: 0 };
  /** The last chunk is `#window` from `#from` to `#to`. */
  #from = 0;
  #to = 0;

  constructor(keys: Iterable<unknown>) {
    if (Array.isArray(keys)) {
      this.#list = keys;
      this.count = () => keys.length;
      return;
    }
    const isSet = keys instanceof Set;
    if (isSet) this.count = () => keys.size;
    if (isSet && keys[Symbol.iterator] === valuesOf) this.#set = keys;
    else this.#windows = windowsOf(keys);
  }

  collect(): boolean {
    this.#from = this.#to;
    if (this.#from === this.#window.count && !this.#window.fail) this.#read();
    if (this.#from < this.#window.count) return true;
    this.#window.fail?.();
    return false;
  }

  #read(): void {
    if (this.#windows) {
      const keys = this.#windows.next().value ?? [];
      this.#window = { keys, count: keys.length };
    } else {
      // V8 copies a set without looking at its strings, which would be waited for one after the other.
      this.#list ??= [...valuesOf.call(this.#set)];
      this.#window = read(this.#list, this.#start);
      this.#start += this.#window.count;
    }
    this.#from = 0;
    this.#to = 0;
  }

  hash(instance: Instance, seed: number): number {
    const { keys, count } = this.#window;
    const hashed = hashKeys(keys, this.#from, count, instance, seed);
    this.#to = this.#from + hashed;
    return hashed;
  }

  keep({ scratch }: Instance, wanted: number): void {
    const { flagBytes } = scratch;
    for (let i = this.#from; i < this.#to; i++) {
      if (flagBytes[i - this.#from] !== wanted) continue;
      const key = this.#window.keys[i] as Key;
      // The bytes of a set were not copied when they were read, those of other iterables were.
      this.#kept.push(this.#set && typeof key === 'object' ? new Uint8Array(key) : key);
    }
  }

  kept(): Key[] {
    return this.#kept;
  }

  close(): void {
    this.#windows?.return();
  }
}
