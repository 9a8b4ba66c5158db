import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_KEYS, CHUNK_UNITS } from '../kernel/scratch.ts';
import { hashMixed, hashText } from './encode.ts';
import { type Key, requireKey } from './key.ts';
import type { Source } from './source.ts';

/**
 * Arrays of ends that no batch is using. Reused, because making one takes longer than a batch of a few keys. Several,
 * because user code that runs while a batch is read may begin another batch.
 */
const spareEnds: Uint32Array[] = [];
const NO_ENDS = new Uint32Array(0);

/** The length that marks an empty run: too long for any string to be appended. */
const NO_TEXT: number = CHUNK_UNITS + 1;

function* readIterable(keys: Iterable<unknown>): Generator<Key, undefined> {
  let position = 0;
  for (const value of keys) {
    requireKey(value, position++);
    // Copied, because an iterable may yield the same buffer again with new contents.
    yield typeof value === 'object' ? new Uint8Array(value) : value;
  }
}

/** A run of keys in the window, up to `stop`: strings that fit one chunk, joined to `text`, or keys of other types. */
interface Run {
  readonly stop: number;
  readonly text: string | undefined;
}

/**
 * Reads the keys of an array or any other iterable into a window that user code cannot reach. If a key is invalid or
 * cannot be read, the keys before it are delivered first, then the error is thrown.
 *
 * Strings are joined as they are read: `+=` makes a rope, which is flattened and encoded in one go, in half the time
 * of encoding each string.
 */
export class ListSource implements Source {
  readonly count: (() => number) | undefined;
  readonly #window: Key[] = [];
  /** The keys that are joined: the user's array, or, for an iterable, the window it was read into. */
  readonly #keys: readonly unknown[];
  #position = 0;
  readonly #others: Generator<Key, undefined> | undefined;
  readonly #kept: Key[] = [];
  #failed = false;
  #error: unknown;
  #length = 0;
  readonly #runs: Run[] = [];
  #run = 0;
  /** Where each string ends in the text of its run, in UTF-16 units. */
  #ends: Uint32Array = NO_ENDS;
  /** The last chunk is `#window` from `#from` to `#to`. */
  #from = 0;
  #to = 0;

  constructor(keys: Iterable<unknown>) {
    if (Array.isArray(keys)) {
      this.#keys = keys;
      this.count = () => keys.length;
    } else {
      this.#keys = this.#window;
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
    try {
      try {
        if (this.#others) this.#read(this.#others);
      } finally {
        this.#join();
      }
    } catch (error) {
      this.#failed = true;
      this.#error = error;
    }
  }

  #read(keys: Generator<Key, undefined>): void {
    const window = this.#window;
    window.length = 0;
    this.#position = 0;
    while (window.length < CHUNK_KEYS) {
      const { value } = keys.next();
      if (value === undefined) break;
      window.push(value);
    }
  }

  #join(): void {
    const window = this.#window;
    const keys = this.#keys;
    if (this.#ends === NO_ENDS) this.#ends = spareEnds.pop() ?? new Uint32Array(CHUNK_KEYS);
    const ends = this.#ends;
    this.#runs.length = 0;
    let text = '';
    let units = NO_TEXT;
    let length = 0;
    let position = this.#position;
    try {
      for (; length < CHUNK_KEYS && position < keys.length; position++) {
        const key = keys[position];
        if (typeof key === 'string' && units + key.length <= CHUNK_UNITS) {
          text += key;
          units += key.length;
          ends[length] = units;
        } else {
          requireKey(key, position);
          const fits = typeof key === 'string' && key.length <= CHUNK_UNITS;
          if (fits || units !== NO_TEXT) this.#endRun(length, text, units);
          text = fits ? key : '';
          units = fits ? key.length : NO_TEXT;
          ends[length] = units;
        }
        window[length++] = key;
      }
    } finally {
      this.#endRun(length, text, units);
      this.#run = 0;
      this.#from = 0;
      this.#to = 0;
      this.#length = length;
      this.#position = position;
    }
  }

  #endRun(stop: number, text: string, units: number): void {
    if (stop > (this.#runs.at(-1)?.stop ?? 0)) this.#runs.push({ stop, text: units === NO_TEXT ? undefined : text });
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
    if (this.#ends !== NO_ENDS) spareEnds.push(this.#ends);
    this.#ends = NO_ENDS;
    this.#others?.return(undefined);
  }
}
