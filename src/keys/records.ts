import type { Instance } from '../kernel/instance.ts';
import { CHUNK_BYTES, CHUNK_KEYS } from '../kernel/scratch.ts';
import { requireInteger } from '../util/checks/validate.ts';
import { hashLongBytes } from './encode.ts';
import { requireBytes } from './key.ts';
import { KeptBytes } from './picked-bytes.ts';
import { type Readable, SOURCE, type Source } from './source.ts';

/** Keys of one length in one buffer; made by `records(bytes, width)`. */
export class KeyRecords<B extends ArrayBufferLike = ArrayBufferLike> implements Readable {
  /** The bytes of all keys. Not a copy. */
  readonly bytes: Uint8Array<B>;
  /** The length of each key in bytes. */
  readonly width: number;

  constructor(bytes: Uint8Array<B>, width: number) {
    this.bytes = bytes;
    this.width = width;
  }

  /** The number of keys. */
  get length(): number {
    return this.bytes.length / this.width;
  }

  /** @internal */
  [SOURCE](): Source {
    const { bytes, width } = records(this.bytes, this.width);
    return new RecordSource(bytes, width, (kept) => new KeyRecords(kept, width));
  }
}

/**
 * Keys of one length, such as UUIDs or digests, without a boundary between them: the layout of Apache Arrow's
 * FixedSizeBinary vectors.
 *
 * ```ts
 * seen.addMany(records(digests, 32)); // SHA-256: a key is 32 bytes
 * ```
 *
 * @param bytes the bytes of all keys, which must not change while they are read; not copied
 * @param width the length of each key in bytes, 1 … 2^32 − 1
 * @throws TypeError unless `bytes` is a Uint8Array and `width` a number; RangeError unless `width` is an integer in its
 *   range, and `bytes` has a whole number of keys
 * @see https://arrow.apache.org/docs/format/Columnar.html#fixed-size-primitive-layout
 */
export function records<B extends ArrayBufferLike>(bytes: Uint8Array<B>, width: number): KeyRecords<B> {
  const checked = requireBytes('bytes', bytes);
  requireInteger('width', width, 1, 2 ** 32 - 1);
  if (checked.length % width === 0) return new KeyRecords(checked, width);
  throw new RangeError(`bytes must have a multiple of ${width} bytes, got ${checked.length}`);
}

/** Reads records: copies each chunk of keys at once, and lets the kernel move the kept keys to its front. */
export class RecordSource<Kept> implements Source {
  readonly #bytes: Uint8Array;
  readonly #width: number;
  readonly #shape: (kept: Uint8Array<ArrayBuffer>) => Kept;
  readonly #kept: KeptBytes;
  /** The last chunk is the keys in `bytes` from `from` to `to`. */
  from = 0;
  to = 0;

  /** @param shape makes the result of the bytes of all kept keys */
  constructor(bytes: Uint8Array, width: number, shape: (kept: Uint8Array<ArrayBuffer>) => Kept) {
    this.#bytes = bytes;
    this.#width = width;
    this.#shape = shape;
    this.#kept = new KeptBytes(bytes);
  }

  count(): number {
    return this.#bytes.length / this.#width;
  }

  collect(): boolean {
    return this.to < this.#bytes.length;
  }

  hash(instance: Instance, seed: number): number {
    const { kernel, scratch } = instance;
    const width = this.#width;
    const most = Math.max(1, Math.min(CHUNK_KEYS, Math.floor(CHUNK_BYTES / width)));
    this.from = this.to;
    this.to = Math.min(this.from + most * width, this.#bytes.length);
    const count = (this.to - this.from) / width;
    const chunk = this.#bytes.subarray(this.from, this.to);
    if (width > CHUNK_BYTES) {
      hashLongBytes(chunk, instance, seed);
      return 1;
    }
    scratch.keyBytes.set(chunk);
    for (let i = 0; i < count; i++) scratch.endValues[i] = (i + 1) * width;
    if (width === 8) kernel.hash_u64(scratch.keys, count, seed, scratch.hashes);
    else kernel.hash_packed(scratch.keys, scratch.ends, count, seed, scratch.hashes);
    return count;
  }

  keep(instance: Instance, wanted: number): void {
    this.#kept.keep(instance, this.from, this.to, (this.to - this.from) / this.#width, wanted);
  }

  kept(): Kept {
    return this.#shape(this.#kept.take());
  }
}
