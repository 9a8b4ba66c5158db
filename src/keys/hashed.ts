import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_KEYS } from '../kernel/scratch.ts';
import { mustBe, requireSeed } from '../validate.ts';
import { requireBytes } from './key.ts';
import { type Readable, SOURCE, type Source } from './source.ts';

/** The bytes of a hash: h1, then h2, of MurmurHash3 x64_128. */
export const HASH_BYTES = 16;

function requireHashes<B extends ArrayBufferLike>(bytes: Uint8Array<B>): Uint8Array<B> {
  const { length } = requireBytes('bytes', bytes);
  if (length % HASH_BYTES === 0) return bytes;
  throw new RangeError(mustBe('bytes', `a multiple of ${HASH_BYTES} bytes`, length));
}

/**
 * The hashes of many keys, which filters of any kind and engine take in place of the keys; made by `hashKeys(keys)`.
 * They take 16 bytes per key, and contain no key.
 *
 * To hand them to another thread, transfer or share `bytes`, and make them anew there from `bytes` and `seed`.
 */
export class HashedKeys<B extends ArrayBufferLike = ArrayBufferLike> implements Readable {
  /** The hashes, 16 bytes per key, in the order of the keys. Not a copy. */
  readonly bytes: Uint8Array<B>;
  /** The seed with which the keys were hashed, 0 … 2^32 − 1. Only filters of the same seed take them. */
  readonly seed: number;

  /**
   * @param bytes the `bytes` of other hashed keys; not copied
   * @param seed their seed
   * @throws TypeError unless `bytes` is a Uint8Array and `seed` a number; RangeError unless `bytes` has a multiple of
   *   16 bytes and `seed` is an integer of 32 bits
   */
  constructor(bytes: Uint8Array<B>, seed = 0) {
    this.bytes = requireHashes(bytes);
    this.seed = requireSeed(seed);
  }

  /** The number of keys. */
  get length(): number {
    return this.bytes.length / HASH_BYTES;
  }

  /**
   * Returns the hashes of some of the keys, such as of those that a filter may have.
   *
   * @param flags for each key 1 if its hash is wanted, else 0: what `hasMany` returns
   * @throws TypeError unless `flags` is a Uint8Array; RangeError unless it has as many flags as there are keys
   */
  pick(flags: Uint8Array): HashedKeys<ArrayBuffer> {
    const { length } = requireBytes('flags', flags);
    if (length !== this.length) throw new RangeError(mustBe('flags', `${this.length} flags`, length));
    const kept = new KeptHashes(this.bytes);
    kept.keep(0, length, flags, 1);
    return new HashedKeys(kept.take(), this.seed);
  }

  /** @internal */
  [SOURCE](): Source {
    return new HashSource(this);
  }
}

/** Collects hashes. */
class KeptHashes {
  readonly #bytes: Uint8Array;
  #kept: Uint8Array<ArrayBuffer> | undefined;
  #length = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Keeps those of the hashes from `from` to `to` whose flag is `wanted`. */
  keep(from: number, to: number, flags: Uint8Array, wanted: number): void {
    // Allocating the full length is cheap: untouched pages cost nothing.
    this.#kept ??= new Uint8Array(this.#bytes.length);
    this.#kept.set(this.#bytes.subarray(HASH_BYTES * from, HASH_BYTES * to), HASH_BYTES * this.#length);
    const words = new Uint32Array(this.#kept.buffer, HASH_BYTES * this.#length);
    let count = 0;
    for (let i = 0; i < to - from; i++) {
      if (flags[i] !== wanted) continue;
      for (let word = 0; word < 4; word++) words[4 * count + word] = words[4 * i + word] as number;
      count++;
    }
    this.#length += count;
  }

  take(): Uint8Array<ArrayBuffer> {
    return this.#kept?.slice(0, HASH_BYTES * this.#length) ?? new Uint8Array(0);
  }
}

/** Copies hashes into the scratch, where other sources compute them. */
class HashSource implements Source {
  readonly #bytes: Uint8Array;
  readonly #seed: number;
  readonly #length: number;
  readonly #kept: KeptHashes;
  /** The last chunk is the hashes from `#from` to `#to`. */
  #from = 0;
  #to = 0;

  constructor({ bytes, seed, length }: HashedKeys) {
    this.#bytes = requireHashes(bytes);
    this.#seed = seed;
    this.#length = length;
    this.#kept = new KeptHashes(bytes);
  }

  count(): number {
    return this.#length;
  }

  collect(): boolean {
    return this.#to < this.#length;
  }

  hash({ memory, scratch }: Instance, seed: number): number {
    if (seed !== this.#seed) {
      throw new RangeError(`keys were hashed with seed ${this.#seed}, but the filter has seed ${seed}`);
    }
    this.#from = this.#to;
    this.#to = Math.min(this.#from + CHUNK_KEYS, this.#length);
    const chunk = this.#bytes.subarray(HASH_BYTES * this.#from, HASH_BYTES * this.#to);
    new Uint8Array(memory.buffer, scratch.hashes, chunk.length).set(chunk);
    return this.#to - this.#from;
  }

  keep({ scratch }: Instance, wanted: number): void {
    this.#kept.keep(this.#from, this.#to, scratch.flagBytes, wanted);
  }

  kept(): HashedKeys<ArrayBuffer> {
    return new HashedKeys(this.#kept.take(), this.#seed);
  }

  close(): void {}
}
