import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_KEYS } from '../kernel/scratch.ts';
import { hashRun } from './encode.ts';
import { type Key, requireKey } from './key.ts';
import type { Source } from './source.ts';

function readArray(keys: readonly unknown[]): () => Key | undefined {
  let position = 0;
  return () => {
    if (position >= keys.length) return undefined;
    const key = keys[position];
    requireKey(key, position++);
    return key;
  };
}

function* readIterable(keys: Iterable<unknown>): Generator<Key, undefined> {
  let position = 0;
  for (const value of keys) {
    requireKey(value, position++);
    // It may give the same buffer again and again, filled anew.
    yield typeof value === 'object' ? new Uint8Array(value) : value;
  }
}

/**
 * Keys of an array or any other iterable. They are read into a window that nobody else can reach; those before one
 * that is bad, or that cannot be read, are given before the error is thrown.
 */
export class ListSource implements Source {
  readonly count: (() => number) | undefined;
  readonly #next: () => Key | undefined;
  #keys: Generator<Key, undefined> | undefined;
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
      this.#next = readArray(keys);
    } else {
      if (keys instanceof Set) this.count = () => keys.size;
      const read = readIterable(keys);
      this.#keys = read;
      this.#next = () => read.next().value;
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
    const next = this.#next;
    const window = this.#window;
    let length = 0;
    try {
      while (length < CHUNK_KEYS) {
        const key = next();
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
    this.#keys?.return(undefined);
  }
}
