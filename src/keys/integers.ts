import type { Instance } from '../kernel/instance.ts';
import { CHUNK_KEYS } from '../kernel/scratch.ts';
import { bufferOf, byteOffsetOf, isLost, lengthOf, typedArrayName } from '../util/checks/typed-arrays.ts';
import type { Source } from './source.ts';

/** An array of 32-bit or 64-bit integers, each of which is a key. */
export type IntegerArray = Uint32Array | Int32Array | BigUint64Array | BigInt64Array;

const arrays = { Uint32Array, Int32Array, BigUint64Array, BigInt64Array };

/** The type name of an integer array whose buffer is not detached; undefined for anything else. */
export function integerArrayName(value: unknown): keyof typeof arrays | undefined {
  const name = typedArrayName(value) as keyof typeof arrays;
  return name in arrays && !isLost(value as IntegerArray) ? name : undefined;
}

/** Reads an array of integers by copying its memory into the scratch. */
export class IntegerSource implements Source {
  readonly #length: number;
  readonly #name: keyof typeof arrays;
  /** The number of 32-bit words per integer: 1 or 2. */
  readonly #width: number;
  readonly #words: Uint32Array;
  from = 0;
  to = 0;
  #kept: Uint32Array<ArrayBuffer> | undefined;
  #keptWords = 0;

  constructor(keys: IntegerArray, name: keyof typeof arrays) {
    this.#name = name;
    this.#width = arrays[name].BYTES_PER_ELEMENT / 4;
    this.#length = lengthOf(keys);
    this.#words = new Uint32Array(bufferOf(keys), byteOffsetOf(keys), this.#length * this.#width);
  }

  count(): number {
    return this.#length;
  }

  collect(): boolean {
    return this.to < this.#length;
  }

  hash({ kernel, scratch }: Instance, seed: number): number {
    const width = this.#width;
    this.from = this.to;
    this.to = Math.min(this.from + CHUNK_KEYS, this.#length);
    const count = this.to - this.from;
    scratch.keyWords.set(this.#words.subarray(this.from * width, this.to * width));
    const signed = this.#name === 'Int32Array' ? 1 : 0;
    if (width === 1) kernel.hash_32(scratch.keys, count, signed, seed, scratch.hashes);
    else kernel.hash_u64(scratch.keys, count, seed, scratch.hashes);
    return count;
  }

  keep({ scratch }: Instance, wanted: number): void {
    const width = this.#width;
    this.#kept ??= new Uint32Array(this.#words.length);
    for (let i = this.from; i < this.to; i++) {
      if (scratch.flagBytes[i - this.from] !== wanted) continue;
      for (let word = i * width; word < (i + 1) * width; word++) {
        this.#kept[this.#keptWords++] = this.#words[word] ?? 0;
      }
    }
  }

  kept(): IntegerArray {
    return new arrays[this.#name](this.#kept?.buffer.slice(0, 4 * this.#keptWords) ?? new ArrayBuffer(0));
  }
}
