import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_KEYS, CHUNK_UNITS } from '../kernel/scratch.ts';
import { hashMixed, hashText } from './encode.ts';
import { type Key, requireKey } from './key.ts';
import type { Source } from './source.ts';

/** The keys of the first window; those that follow have CHUNK_KEYS. */
const FEW_KEYS = 128;

function* readIterable(keys: Iterable<unknown>): Generator<Key, undefined> {
  let position = 0;
  for (const value of keys) {
    requireKey(value, position++);
    // It may give the same buffer again and again, filled anew.
    yield typeof value === 'object' ? new Uint8Array(value) : value;
  }
}

/** Keys of a window up to `stop`: strings that fit one chunk, joined, or keys of other types. */
interface Run {
  readonly stop: number;
  readonly text: string | undefined;
}

/**
 * Keys of an array or any other iterable. They are read into a window that nobody else can reach; those before one
 * that is bad, or that cannot be read, are given before the error is thrown.
 *
 * Strings are joined as they are read: `+=` makes a rope, which is flattened and encoded in one go, in half the time of
 * encoding each.
 */
export class ListSource implements Source {
  readonly count: (() => number) | undefined;
  readonly #array: readonly unknown[] | undefined;
  #position = 0;
  readonly #others: Generator<Key, undefined> | undefined;
  readonly #window: Key[] = [];
  readonly #kept: Key[] = [];
  #failed = false;
  #error: unknown;
  #length = 0;
  readonly #runs: Run[] = [];
  #run = 0;
  /** Where each string ends in its run's text. As long as the window may be: short at first, for batches of a few keys. */
  #ends = new Uint32Array(FEW_KEYS);
  /** The last chunk is `#window` from `#from` to `#to`. */
  #from = 0;
  #to = 0;

  constructor(keys: Iterable<unknown>) {
    if (Array.isArray(keys)) {
      this.#array = keys;
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

  #next(): Key | undefined {
    if (!this.#array) return this.#others?.next().value;
    if (this.#position >= this.#array.length) return undefined;
    const key = this.#array[this.#position++];
    if (typeof key !== 'string') requireKey(key, this.#position - 1);
    return key;
  }

  #fill(): void {
    const window = this.#window;
    if (this.#length > 0 && this.#ends.length < CHUNK_KEYS) this.#ends = new Uint32Array(CHUNK_KEYS);
    const ends = this.#ends;
    this.#runs.length = 0;
    let text: string | undefined;
    let units = 0;
    let length = 0;
    try {
      while (length < ends.length) {
        const key = this.#next();
        if (key === undefined) break;
        if (typeof key === 'string' && key.length <= CHUNK_UNITS) {
          if (text === undefined || units + key.length > CHUNK_UNITS) {
            this.#endRun(length, text);
            text = '';
            units = 0;
          }
          text += key;
          units += key.length;
          ends[length] = units;
        } else if (text !== undefined) {
          this.#endRun(length, text);
          text = undefined;
        }
        window[length++] = key;
      }
    } catch (error) {
      this.#failed = true;
      this.#error = error;
    }
    this.#endRun(length, text);
    this.#run = 0;
    this.#from = 0;
    this.#to = 0;
    this.#length = length;
  }

  #endRun(stop: number, text: string | undefined): void {
    if (stop > (this.#runs.at(-1)?.stop ?? 0)) this.#runs.push({ stop, text });
  }

  hash(instance: Instance, seed: number): number {
    const from = this.#from;
    const { stop, text } = this.#runs[this.#run] as Run;
    const count =
      text === undefined
        ? hashMixed(this.#window, from, stop, instance, seed)
        : hashText(text, this.#ends.subarray(from, stop), instance, seed);
    this.#to = from + count;
    if (this.#to === stop) this.#run++;
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
