import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_KEYS } from '../kernel/scratch.ts';
import { hashRun } from './encode.ts';
import { type Key, requireKey } from './key.ts';
import type { Source } from './source.ts';

/** Gives one key after the other, checked; undefined at the end. */
interface Reader {
  readonly next: () => Key | undefined;
  readonly close: () => void;
}

function readArray(keys: readonly unknown[]): Reader {
  let position = 0;
  return {
    next() {
      if (position >= keys.length) return undefined;
      const key = keys[position];
      requireKey(key, position++);
      return key;
    },
    close() {},
  };
}

function readIterable(keys: Iterable<unknown>): Reader {
  const iterator = keys[Symbol.iterator]();
  let position = 0;
  let ended = false;
  return {
    next() {
      // An iterator that throws has ended, and is not to be closed.
      ended = true;
      const { done, value } = iterator.next();
      if (done) return undefined;
      ended = false;
      requireKey(value, position++);
      // It may give the same buffer again and again, filled anew.
      return typeof value === 'object' ? new Uint8Array(value) : value;
    },
    close() {
      if (!ended) iterator.return?.();
    },
  };
}

/**
 * Keys of an array or any other iterable. They are read into a window that nobody else can reach; those before one
 * that is bad, or that cannot be read, are given before the error is thrown.
 */
export class ListSource implements Source {
  readonly count: (() => number) | undefined;
  position = 0;
  readonly #reader: Reader;
  readonly #window: Key[] = [];
  readonly #kept: Key[] = [];
  #failed = false;
  #error: unknown;
  #length = 0;
  /** The last chunk is `#window` from `#from` to `#to`. */
  #from = 0;
  #to = 0;

  constructor(keys: Iterable<unknown>) {
    if (Array.isArray(keys)) {
      this.count = () => keys.length;
      this.#reader = readArray(keys);
    } else {
      if (keys instanceof Set) this.count = () => keys.size;
      this.#reader = readIterable(keys);
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
    const reader = this.#reader;
    const window = this.#window;
    let length = 0;
    try {
      while (length < CHUNK_KEYS) {
        const key = reader.next();
        if (key === undefined) break;
        window[length++] = key;
      }
    } catch (error) {
      this.#failed = true;
      this.#error = error;
    }
    this.#from = 0;
    this.#to = 0;
    this.#length = length;
  }

  hash(instance: Instance, seed: number): number {
    const count = hashRun(this.#window, this.#from, this.#length, instance, seed);
    this.#to = this.#from + count;
    this.position += count;
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
    this.#reader.close();
  }
}
