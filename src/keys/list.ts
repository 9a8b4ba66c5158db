import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_KEYS } from '../kernel/scratch.ts';
import { lengthOf } from '../typed-arrays.ts';
import { hashKeys } from './encode.ts';
import { isKey, type Key, requireKey } from './key.ts';
import type { Source } from './source.ts';

/** Yields values in windows, which user code cannot reach. What comes before an error is yielded first. */
type Windows = Generator<unknown[], void>;

const { slice } = Array.prototype;

/**
 * Copies the next values of an array at once. Returns undefined if what `slice` makes may not be what reading each value
 * would give: of a class whose constructor may take anything, or of a proxy.
 */
function sliceOf(keys: readonly unknown[], from: number): unknown[] | undefined {
  try {
    if ((keys.constructor as unknown) !== Array) return undefined;
    // Copied once more, because a proxy may have made `slice` return what user code can reach.
    const values = [...slice.call(keys, from, from + CHUNK_KEYS)];
    const isWhole = values.length === Math.min(CHUNK_KEYS, keys.length - from) && !values.includes(undefined);
    return isWhole ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Runs no code of the class of the bytes, or of their buffer. */
function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(lengthOf(bytes));
  copy.set(bytes);
  return copy;
}

function* windowsOfArray(keys: readonly unknown[]): Windows {
  for (let from = 0; from < keys.length; ) {
    let window = sliceOf(keys, from);
    if (window === undefined) {
      window = [];
      try {
        while (window.length < CHUNK_KEYS && from + window.length < keys.length)
          window.push(keys[from + window.length]);
      } catch (error) {
        yield window;
        throw error;
      }
    }
    yield window;
    from += window.length;
  }
}

const { values: valuesOf } = Set.prototype;

/** Does not look at what it copies, so that strings are not waited for one after the other. */
function* windowsOfSet(keys: Set<unknown>): Windows {
  let window: unknown[] = [];
  for (const value of valuesOf.call(keys)) {
    if (window.push(value) < CHUNK_KEYS) continue;
    yield window;
    window = [];
  }
  yield window;
}

/** A window of an iterable is full once its strings and byte arrays are this long: maybe nothing else holds them. */
const WINDOW_LENGTH = 16384;

function* windowsOfIterable(keys: Iterable<unknown>): Windows {
  let window: Key[] = [];
  let length = 0;
  let position = 0;
  try {
    for (const value of keys) {
      requireKey(value, position++);
      // Copied, because an iterable may yield the same buffer again with new contents.
      const key = typeof value === 'object' ? copyOf(value) : value;
      window.push(key);
      if (typeof key === 'string' || typeof key === 'object') length += key.length;
      if (window.length < CHUNK_KEYS && length < WINDOW_LENGTH) continue;
      yield window;
      window = [];
      length = 0;
    }
  } catch (error) {
    yield window;
    throw error;
  }
  yield window;
}

function* windowsOf(keys: Iterable<unknown>): Windows {
  if (Array.isArray(keys)) yield* windowsOfArray(keys);
  else if (keys instanceof Set && keys[Symbol.iterator] === valuesOf) yield* windowsOfSet(keys);
  else yield* windowsOfIterable(keys);
}

/** How many strings are read before the first is used: so few that they stay in the cache until then. */
const STRINGS = 512;

/**
 * Returns where a run of keys ends: before the first value that is not a key, or after so many strings. Of a string,
 * this reads only the type. So little stands between two strings that the processor waits for many at once if they are
 * in no cache.
 */
function endOfKeys(values: readonly unknown[], from: number): number {
  let end = from;
  for (let strings = 0; end < values.length && strings < STRINGS; end++) {
    const value = values[end];
    if (typeof value === 'string') strings++;
    else if (!isKey(value)) break;
  }
  return end;
}

/**
 * Reads the keys of an array or any other iterable. If a key is invalid or cannot be read, the keys before it are
 * delivered first, then the error is thrown.
 */
export class ListSource implements Source {
  readonly count: (() => number) | undefined;
  readonly #windows: Windows;
  readonly #isSet: boolean;
  readonly #kept: Key[] = [];
  /** Values of which those before `#end` are known to be keys. */
  #window: unknown[] = [];
  #end = 0;
  /** The index of the window's first value among all. */
  #position = 0;
  /** The last chunk is `#window` from `#from` to `#to`. */
  #from = 0;
  #to = 0;

  constructor(keys: Iterable<unknown>) {
    this.#windows = windowsOf(keys);
    this.#isSet = keys instanceof Set;
    if (Array.isArray(keys)) this.count = () => keys.length;
    else if (keys instanceof Set) this.count = () => keys.size;
  }

  collect(): boolean {
    this.#from = this.#to;
    while (this.#from === this.#window.length) {
      const { done, value } = this.#windows.next();
      if (done) return false;
      this.#position += this.#window.length;
      this.#window = value;
      this.#end = 0;
      this.#from = 0;
      this.#to = 0;
    }
    if (this.#from === this.#end) this.#end = endOfKeys(this.#window, this.#from);
    if (this.#from === this.#end) requireKey(this.#window[this.#from], this.#position + this.#from);
    return true;
  }

  hash(instance: Instance, seed: number): number {
    const count = hashKeys(this.#window as Key[], this.#from, this.#end, instance, seed);
    this.#to = this.#from + count;
    return count;
  }

  keep({ scratch }: Instance, wanted: number): void {
    const { flagBytes } = scratch;
    for (let i = this.#from; i < this.#to; i++) {
      if (flagBytes[i - this.#from] !== wanted) continue;
      const key = this.#window[i] as Key;
      // Bytes of arrays are returned as they are, those of iterables as copies.
      this.#kept.push(this.#isSet && typeof key === 'object' ? copyOf(key) : key);
    }
  }

  kept(): Key[] {
    return this.#kept;
  }

  close(): void {
    this.#windows.return();
  }
}
