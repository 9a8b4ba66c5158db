import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_KEYS } from '../kernel/scratch.ts';
import { bufferOf, byteOffsetOf, isLost, lengthOf, typedArrayName } from '../typed-arrays.ts';
import type { Source } from './source.ts';

/** An array of 32-bit or 64-bit integers, each of which is a key. */
export type IntegerArray = Uint32Array | Int32Array | BigUint64Array | BigInt64Array;

const arrays = { Uint32Array, Int32Array, BigUint64Array, BigInt64Array };

/** The type name of an integer array that has its memory; undefined for anything else. */
export function integerArrayName(value: unknown): keyof typeof arrays | undefined {
  const name = typedArrayName(value) as keyof typeof arrays;
  return name in arrays && !isLost(value as IntegerArray) ? name : undefined;
}

/** Reads an array of integers, whose memory is copied as it is. */
export class IntegerSource implements Source {
  position = 0;
  readonly #length: number;
  readonly #name: keyof typeof arrays;
  /** The number of 32-bit words per integer: 1 or 2. */
  readonly #width: number;
  readonly #words: Uint32Array;
  #from = 0;
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
    return this.position < this.#length;
  }

  hash({ kernel, scratch }: Instance, seed: number): number {
    const width = this.#width;
    this.#from = this.position;
    this.position = Math.min(this.#from + CHUNK_KEYS, this.#length);
    const count = this.position - this.#from;
    scratch.keyWords.set(this.#words.subarray(this.#from * width, this.position * width));
    const signed = this.#name === 'Int32Array' ? 1 : 0;
    if (width === 1) kernel.hash_32(scratch.keys, count, signed, seed, scratch.hashes);
    else kernel.hash_u64(scratch.keys, count, seed, scratch.hashes);
    return count;
  }

  keep({ scratch }: Instance, wanted: number): void {
    const width = this.#width;
    this.#kept ??= new Uint32Array(this.#words.length);
    for (let i = this.#from; i < this.position; i++) {
      if (scratch.flagBytes[i - this.#from] !== wanted) continue;
      for (let word = i * width; word < (i + 1) * width; word++) {
        this.#kept[this.#keptWords++] = this.#words[word] ?? 0;
      }
    }
  }

  kept(): IntegerArray {
    return new arrays[this.#name](this.#kept?.buffer.slice(0, 4 * this.#keptWords) ?? new ArrayBuffer(0));
  }

  close(): void {}
}
