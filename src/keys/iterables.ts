import type { Instance } from '../kernel/instance.ts';
import { isObject } from '../util/checks/validate.ts';
import { type Key, keyError, requireKey } from './key.ts';
import { hashRun, LONG } from './runs.ts';
import type { Source } from './source.ts';

/** The most keys that are read ahead. With more, the first would have left the cache by the time they are hashed. */
export const KEYS_AHEAD = 768;
/**
 * Reading ahead also ends once the strings have this many UTF-16 units in all, but not where long strings are expected.
 * Copies of byte arrays count too.
 */
export const LENGTH_AHEAD = 16384;
/** So many keys of a list are read ahead however long they are, as each chunk takes time to begin. */
export const LEAST_AHEAD = 64;

/** The number of items, if it is known. */
export function counterOf(items: Iterable<unknown>): Source['count'] {
  if (Array.isArray(items)) return () => items.length;
  return items instanceof Set || items instanceof Map ? () => items.size : undefined;
}

/** Keys that were read ahead, in an array that user code cannot reach. Those of a list have not been checked. */
interface KeysAhead {
  readonly keys: readonly Key[];
  /** The number of keys. The array may have room for more. */
  readonly count: number;
  /** Throws the error that reading the next key gave; undefined if it gave none. */
  readonly fail?: (() => never) | undefined;
}

/**
 * Reads at most `most` keys of a list ahead, from `start` on. The first may have been read already.
 *
 * The loop does little more than add up the lengths of strings, so that the processor waits for many uncached strings
 * at once. It does not where long strings are expected: these mostly follow each other in memory, and the processor
 * fetches the next one while it reads the one before. Reading all lengths first takes a tenth more time.
 *
 * The array is new each time: to store a value in an array that survived a garbage collection, V8 also reads the header
 * of the value's page.
 *
 * @param areLong whether long strings are expected
 */
function readAhead(
  list: readonly unknown[],
  start: number,
  most: number,
  first: Key | undefined,
  areLong: boolean,
): KeysAhead {
  // The length of a proxy may be anything.
  const keys: Key[] = new Array(Math.max(0, Math.min(list.length - start, most) | 0));
  let count = 0;
  let length = 0;
  let fail: KeysAhead['fail'];
  if (first !== undefined) {
    keys[0] = first;
    count = 1;
  }
  try {
    // Two loops: asking for each key whether long ones are expected takes a twentieth of the time of cold strings.
    if (areLong) {
      for (; count < keys.length; count++) {
        const value = list[start + count];
        if (value === undefined && start + count >= list.length) break;
        keys[count] = value as Key;
      }
    } else {
      for (; count < keys.length && (count < LEAST_AHEAD || length < LENGTH_AHEAD); count++) {
        const value = list[start + count];
        if (value === undefined && start + count >= list.length) break;
        if (typeof value === 'string') length += value.length;
        keys[count] = value as Key;
      }
    }
  } catch (error) {
    fail = () => {
      throw error;
    };
  }
  return { keys, count, fail };
}

export function isIterable(value: unknown): value is Iterable<unknown> {
  return isObject(value) && Symbol.iterator in value;
}

/**
 * Reads keys of an iterable ahead, in arrays. If a key is invalid or cannot be read, the keys before it are yielded
 * first. Long keys end an array early, so that a generator's keys do not pile up in memory.
 */
function* readEach(iterable: Iterable<unknown>): Generator<Key[], void> {
  let keys: Key[] = [];
  let length = 0;
  let position = 0;
  try {
    for (const value of iterable) {
      requireKey(value, position++);
      // Copied, because an iterable may yield the same buffer again with new contents.
      const key = typeof value === 'object' ? new Uint8Array(value) : value;
      length += (key as { readonly length?: number }).length ?? 0;
      if (keys.push(key) < KEYS_AHEAD && length < LENGTH_AHEAD) continue;
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
 * hashed first, then the error is thrown.
 */
export class ListSource implements Source {
  readonly count: (() => number) | undefined;
  readonly done: number;
  readonly #kept: Key[];
  /** The keys, if they are a Set with the built-in iterator. */
  readonly #set: Set<unknown> | undefined;
  /** The keys, if they are an array; or a copy of the keys of a set. */
  #list: readonly unknown[] | undefined;
  /** The number of keys of the list that were read. */
  #start: number;
  /** The next key of the list, if it was read already. */
  #next: Key | undefined;
  /** Reads the keys ahead, if they are any other iterable. */
  readonly #reader: Generator<Key[], void> | undefined;
  ahead: KeysAhead = { keys: [], count: 0 };
  /** The last chunk is `ahead` from `from` to `to`. */
  from = 0;
  to = 0;

  /**
   * @param done how many keys of an array to pass over
   * @param next the key after these, if it was read already
   * @param kept those that were kept of them
   */
  constructor(keys: Iterable<unknown>, done = 0, next?: Key, kept: Key[] = []) {
    this.done = done;
    this.#kept = kept;
    this.#start = done;
    this.#next = next;
    if (Array.isArray(keys)) {
      this.#list = keys;
      this.count = () => keys.length;
      return;
    }
    const isSet = keys instanceof Set;
    if (isSet) this.count = () => keys.size;
    if (isSet && keys[Symbol.iterator] === valuesOf) this.#set = keys;
    else this.#reader = readEach(keys);
  }

  collect(): boolean {
    this.from = this.to;
    if (this.from === this.ahead.count && !this.ahead.fail) this.#read();
    if (this.from < this.ahead.count) return true;
    this.ahead.fail?.();
    return false;
  }

  #read(): void {
    if (this.#reader) {
      const keys = this.#reader.next().value ?? [];
      this.ahead = { keys, count: keys.length };
    } else {
      // V8 copies a set without reading its strings. Iterating would wait for one uncached string after the other.
      this.#list ??= [...valuesOf.call(this.#set)];
      // After few long keys, an array with room for many would take longer to make than to fill.
      const most = Math.min(KEYS_AHEAD, 2 * this.ahead.count || KEYS_AHEAD);
      const last = this.ahead.keys[this.ahead.count - 1];
      const areLong = typeof last === 'string' && last.length > LONG;
      this.ahead = readAhead(this.#list, this.#start, most, this.#next, areLong);
      this.#next = undefined;
      this.#start += this.ahead.count;
    }
    this.from = 0;
    this.to = 0;
  }

  hash(instance: Instance, seed: number): number {
    const { from } = this;
    const { keys, count } = this.ahead;
    const hashed = hashRun(keys, from, count, instance, seed);
    this.to = from + hashed;
    if (hashed === 0) {
      const position = this.#start - count + from;
      const fail = (): never => {
        throw keyError(keys[from], position);
      };
      this.ahead = { keys, count: from, fail };
    }
    return hashed;
  }

  keep({ scratch }: Instance, wanted: number): void {
    const { flagBytes } = scratch;
    for (let i = this.from; i < this.to; i++) {
      if (flagBytes[i - this.from] !== wanted) continue;
      const key = this.ahead.keys[i] as Key;
      // Byte arrays of a set have not been copied yet; those of other iterables have.
      this.#kept.push(this.#set && typeof key === 'object' ? new Uint8Array(key) : key);
    }
  }

  kept(): Key[] {
    return this.#kept;
  }

  close(): void {
    this.#reader?.return();
  }
}
