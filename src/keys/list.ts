import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_KEYS } from '../kernel/scratch.ts';
import { hashKeys } from './encode.ts';
import { isKey, type Key, requireKey } from './key.ts';
import type { Source } from './source.ts';

/** A set yields what it holds, like an array. What another iterable yields may be used only until the next key. */
function iteratorOf(keys: Iterable<unknown>): Iterator<unknown> {
  const { values } = Set.prototype;
  return keys instanceof Set && keys[Symbol.iterator] === values ? values.call(keys) : readIterable(keys);
}

function* readIterable(keys: Iterable<unknown>): Generator<Key, undefined> {
  let position = 0;
  for (const value of keys) {
    requireKey(value, position++);
    // Copied, because an iterable may yield the same buffer again with new contents.
    yield typeof value === 'object' ? new Uint8Array(value) : value;
  }
}

/** Copies the next values of a plain array. Returns undefined if it is not plain, or if one cannot be read. */
function sliceOf(keys: readonly unknown[], from: number): unknown[] | undefined {
  // The constructor of a subclass, which `slice` would call, may take anything.
  if ((keys.constructor as unknown) !== Array) return undefined;
  try {
    // Copied once more, because `slice` of a proxy may return what user code can reach, of any length.
    const values = [...keys.slice(from, from + CHUNK_KEYS)];
    return values.length <= CHUNK_KEYS ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces `values` by the next values of any array. If one cannot be read, those before it are there. */
function readEach(keys: readonly unknown[], from: number, values: unknown[]): unknown[] {
  let count = 0;
  try {
    for (; count < CHUNK_KEYS && from + count < keys.length; count++) values[count] = keys[from + count];
  } finally {
    values.length = count;
  }
  return values;
}

/** Replaces `values` by the next values of an iterator. If it throws, those before are there. */
function readNext(others: Iterator<unknown>, values: unknown[]): unknown[] {
  let count = 0;
  try {
    for (; count < CHUNK_KEYS; count++) {
      const { done, value } = others.next();
      if (done) break;
      values[count] = value;
    }
  } finally {
    values.length = count;
  }
  return values;
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
 * Reads the keys of an array or any other iterable into a window that user code cannot reach. If a key is invalid or
 * cannot be read, the keys before it are delivered first, then the error is thrown.
 */
export class ListSource implements Source {
  readonly count: (() => number) | undefined;
  readonly #keys: readonly unknown[] = [];
  readonly #others: Iterator<unknown> | undefined;
  readonly #kept: Key[] = [];
  /** Values of which those before `#end` are known to be keys. */
  #window: unknown[] = [];
  #failed = false;
  #error: unknown;
  /** The index of the window's first value among all. */
  #position = 0;
  #end = 0;
  /** The last chunk is `#window` from `#from` to `#to`. */
  #from = 0;
  #to = 0;

  constructor(keys: Iterable<unknown>) {
    if (Array.isArray(keys)) {
      this.#keys = keys;
      this.count = () => keys.length;
    } else {
      this.#others = iteratorOf(keys);
      if (keys instanceof Set) this.count = () => keys.size;
    }
  }

  collect(): boolean {
    this.#from = this.#to;
    if (this.#from === this.#window.length && !this.#failed) this.#read();
    if (this.#from === this.#end) this.#end = endOfKeys(this.#window, this.#from);
    if (this.#from < this.#end) return true;
    if (this.#from < this.#window.length) requireKey(this.#window[this.#from], this.#position + this.#from);
    if (this.#failed) throw this.#error;
    return false;
  }

  /** Fills the window with the next values. */
  #read(): void {
    this.#position += this.#window.length;
    this.#end = 0;
    this.#from = 0;
    this.#to = 0;
    try {
      this.#window = this.#others
        ? readNext(this.#others, this.#window)
        : (sliceOf(this.#keys, this.#position) ?? readEach(this.#keys, this.#position, this.#window));
    } catch (error) {
      this.#failed = true;
      this.#error = error;
    }
  }

  hash(instance: Instance, seed: number): number {
    const count = hashKeys(this.#window as Key[], this.#from, this.#end, instance, seed);
    this.#to = this.#from + count;
    return count;
  }

  keep({ scratch }: Instance, wanted: number): void {
    const { flagBytes } = scratch;
    for (let i = this.#from; i < this.#to; i++) {
      if (flagBytes[i - this.#from] === wanted) this.#kept.push(this.#window[i] as Key);
    }
  }

  kept(): Key[] {
    return this.#kept;
  }

  close(): void {
    this.#others?.return?.();
  }
}
