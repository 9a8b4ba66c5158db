import type { Instance } from '../kernel/instance.ts';
import { CHUNK_KEYS, HASH_BYTES } from '../kernel/scratch.ts';
import { mustBe, mustBeSeed, requireInteger, SECRETS } from '../util/checks/validate.ts';
import { distinctHashes } from './distinct.ts';
import { requireBytes } from './key.ts';
import { type Readable, SOURCE, type Source } from './source.ts';

function requireHashes<B extends ArrayBufferLike>(bytes: Uint8Array<B>): Uint8Array<B> {
  const { length } = requireBytes('bytes', bytes);
  if (length % HASH_BYTES === 0) return bytes;
  throw new RangeError(mustBe('bytes', `a multiple of ${HASH_BYTES} bytes`, length));
}

/**
 * The hashes of many keys, made by `hashKeys(keys)`. Filters of any kind and engine take them in place of the keys.
 * They take 16 bytes per key, and do not contain the keys.
 *
 * To pass them to another thread, transfer or share `bytes`, and construct them there from `bytes` and `seed`.
 */
export class HashedKeys<B extends ArrayBufferLike = ArrayBufferLike> implements Readable {
  /** The hashes, 16 bytes per key, in the order of the keys. Not a copy. */
  readonly bytes: Uint8Array<B>;
  /**
   * The seed of the hash, 0 … 2^32 − 1; more if it stands for a secret. Only filters of the same seed take the hashes.
   */
  readonly seed: number;

  /**
   * @param bytes the `bytes` of other hashed keys; not copied
   * @param seed their seed
   * @throws TypeError unless `bytes` is a Uint8Array and `seed` a number; RangeError unless `bytes` has a multiple of
   *   16 bytes and `seed` is an integer from 0 to 2^33 − 1
   */
  constructor(bytes: Uint8Array<B>, seed = 0) {
    this.bytes = requireHashes(bytes);
    this.seed = requireInteger('seed', seed, 0, 2 * SECRETS - 1);
  }

  /** The number of keys. */
  get length(): number {
    return this.bytes.length / HASH_BYTES;
  }

  /**
   * Returns the hashes of some of the keys, such as those that may be in a filter.
   *
   * @param flags a flag for each key, as `hasMany` returns them: 1 for the hashes to return
   * @throws TypeError unless `flags` is a Uint8Array; RangeError unless it has as many flags as there are keys
   */
  pick(flags: Uint8Array): HashedKeys<ArrayBuffer> {
    const { length } = requireBytes('flags', flags);
    if (length !== this.length) throw new RangeError(mustBe('flags', `${this.length} flags`, length));
    const kept = new KeptHashes(this.bytes);
    kept.keep(0, length, flags, 1);
    return new HashedKeys(kept.take(), this.seed);
  }

  /**
   * Returns the first of each of several equal hashes, in order. For a filter that stores each copy of a key, or that is
   * to be made for as many distinct keys as there are: `from(hashKeys(keys).distinct())`.
   *
   * Takes a copy, and 6 to 12 bytes for each hash while it runs.
   */
  distinct(): HashedKeys<ArrayBuffer> {
    const words = distinctHashes(new Int32Array(requireBytes('bytes', this.bytes).slice().buffer));
    return new HashedKeys(new Uint8Array(words.buffer, 0, words.byteLength).slice(), this.seed);
  }

  /** @internal */
  [SOURCE](): Source {
    return new HashSource(this);
  }
}

/** Collects the kept hashes. */
class KeptHashes {
  readonly #bytes: Uint8Array;
  #kept: Uint8Array<ArrayBuffer> | undefined;
  #length = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Keeps the hashes from `from` to `to` whose flag is `wanted`. */
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

/** Copies hashes into the scratch, where other sources would compute them. */
class HashSource implements Source {
  readonly #bytes: Uint8Array;
  readonly #seed: number;
  readonly #length: number;
  readonly #kept: KeptHashes;
  /** The last chunk is the hashes from `from` to `to`. */
  from = 0;
  to = 0;

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
    return this.to < this.#length;
  }

  hash({ memory, scratch }: Instance, seed: number): number {
    if (seed !== this.#seed) {
      throw new RangeError(mustBeSeed('seed of the hashed keys', seed, this.#seed));
    }
    this.from = this.to;
    this.to = Math.min(this.from + CHUNK_KEYS, this.#length);
    const chunk = this.#bytes.subarray(HASH_BYTES * this.from, HASH_BYTES * this.to);
    new Uint8Array(memory.buffer, scratch.hashes, chunk.length).set(chunk);
    return this.to - this.from;
  }

  keep({ scratch }: Instance, wanted: number): void {
    this.#kept.keep(this.from, this.to, scratch.flagBytes, wanted);
  }

  kept(): HashedKeys<ArrayBuffer> {
    return new HashedKeys(this.#kept.take(), this.#seed);
  }
}
