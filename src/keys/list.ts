import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_KEYS } from '../kernel/scratch.ts';
import { hashKeys } from './encode.ts';
import { type Key, requireKey } from './key.ts';
import type { Source } from './source.ts';

function* readIterable(keys: Iterable<unknown>): Generator<Key, undefined> {
  let position = 0;
  for (const value of keys) {
    requireKey(value, position++);
    // Copied, because an iterable may yield the same buffer again with new contents.
    yield typeof value === 'object' ? new Uint8Array(value) : value;
  }
}

/**
 * The window is full once its strings have this many UTF-16 units: under a thousand strings of 20, so that what was
 * fetched from memory is still in the cache when they are joined.
 */
const WINDOW_UNITS = 16384;

/**
 * Reads the keys of an array or any other iterable into a window that user code cannot reach. If a key is invalid or
 * cannot be read, the keys before it are delivered first, then the error is thrown.
 *
 * Strings are joined only after the window is full. The loop that fills it does little more than add up their lengths,
 * so the processor waits for several strings at once if they are in no cache.
 */
export class ListSource implements Source {
  readonly count: (() => number) | undefined;
  readonly #keys: readonly unknown[] = [];
  readonly #others: Generator<Key, undefined> | undefined;
  readonly #window: Key[] = [];
  readonly #kept: Key[] = [];
  #failed = false;
  #error: unknown;
  /** The number of keys of the array that were read. */
  #position = 0;
  /** The number of keys in the window. */
  #length = 0;
  /** The last chunk is `#window` from `#from` to `#to`. */
  #from = 0;
  #to = 0;

  constructor(keys: Iterable<unknown>) {
    if (Array.isArray(keys)) {
      this.#keys = keys;
      this.count = () => keys.length;
    } else {
      this.#others = readIterable(keys);
      if (keys instanceof Set) this.count = () => keys.size;
    }
  }

  collect(): boolean {
    this.#from = this.#to;
    if (this.#from === this.#length && !this.#failed) this.#fill();
    if (this.#from < this.#length) return true;
    if (this.#failed) throw this.#error;
    return false;
  }

  #fill(): void {
    const window = this.#window;
    const keys = this.#keys;
    let position = this.#position;
    let length = 0;
    let units = 0;
    try {
      if (this.#others) {
        for (; length < CHUNK_KEYS && units < WINDOW_UNITS; length++) {
          const { value } = this.#others.next();
          if (value === undefined) break;
          if (typeof value === 'string') units += value.length;
          window[length] = value;
        }
      }
      for (; length < CHUNK_KEYS && units < WINDOW_UNITS && position < keys.length; position++) {
        const key = keys[position];
        if (typeof key === 'string') units += key.length;
        else requireKey(key, position);
        window[length++] = key;
      }
    } catch (error) {
      this.#failed = true;
      this.#error = error;
    }
    this.#position = position;
    this.#length = length;
    this.#from = 0;
    this.#to = 0;
  }

  hash(instance: Instance, seed: number): number {
    const count = hashKeys(this.#window, this.#from, this.#length, instance, seed);
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
    this.#others?.return(undefined);
  }
}
