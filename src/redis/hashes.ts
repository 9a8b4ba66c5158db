import type { Key } from '../keys/key.ts';
import { sourceOf } from '../keys/many.ts';
import { hashingInstance } from './digest.ts';

// The blocked kind uses only the first 64 bits of a key's 128-bit hash: the low word for the bits, the high word for
// the block. They are copied out of the kernel's memory before anything is awaited.

/** The most keys that are sent together, whatever their number. */
const WINDOW_KEYS = 32768;

/** A list of hashes, two words each. */
class Hashes {
  #words = new Uint32Array(0);
  #length = 0;

  /** Copies the first `count` hashes in the scratch. */
  push(count: number): void {
    const { memory, scratch } = hashingInstance();
    const from = new Uint32Array(memory.buffer, scratch.hashes, 4 * count);
    const length = this.#length + 2 * count;
    if (length > this.#words.length) {
      const words = new Uint32Array(this.#length ? Math.max(length, 2 * this.#words.length) : length);
      words.set(this.#words.subarray(0, this.#length));
      this.#words = words;
    }
    for (let i = 0, at = this.#length; at < length; i += 4) {
      this.#words[at++] = from[i] ?? 0;
      this.#words[at++] = from[i + 1] ?? 0;
    }
    this.#length = length;
  }

  get isFull(): boolean {
    return this.#length >= 2 * WINDOW_KEYS;
  }

  /** Empties the list. What it returns is overwritten by the next hashes. */
  *take(): Generator<Uint32Array, void, undefined> {
    const length = this.#length;
    this.#length = 0;
    if (length > 0) yield this.#words.subarray(0, length);
  }
}

/** Hashes keys, some ten thousand at a time. Each list is valid until the next is asked for. */
export function* hashesOf(keys: unknown, seed: number): Generator<Uint32Array, void, undefined> {
  const source = sourceOf(keys);
  const hashes = new Hashes();
  try {
    while (source.collect()) {
      hashes.push(source.hash(hashingInstance(), seed));
      if (hashes.isFull) yield* hashes.take();
    }
  } catch (error) {
    // Something is not a key: those before it are.
    yield* hashes.take();
    throw error;
  } finally {
    source.close();
  }
  yield* hashes.take();
}

/** Hashes one key. */
export function hashOf(key: Key, seed: number): Uint32Array {
  const [hash = new Uint32Array(2)] = hashesOf([key], seed);
  return hash;
}
