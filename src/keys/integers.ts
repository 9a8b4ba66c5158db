import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_KEYS } from '../kernel/scratch.ts';
import { lengthOf, typedArrayName } from './key.ts';
import type { Source } from './source.ts';

/** An array of integers, each of which is a key. */
export type IntegerArray = Uint32Array | Int32Array | BigUint64Array | BigInt64Array;

interface Kind {
  readonly array: new (buffer: ArrayBuffer) => IntegerArray;
  /** The 32-bit words of one integer. */
  readonly words: 1 | 2;
  readonly signed: 0 | 1;
}

function kindOf(value: unknown): Kind | undefined {
  switch (typedArrayName(value)) {
    case 'Uint32Array':
      return { array: Uint32Array, words: 1, signed: 0 };
    case 'Int32Array':
      return { array: Int32Array, words: 1, signed: 1 };
    case 'BigUint64Array':
      return { array: BigUint64Array, words: 2, signed: 0 };
    case 'BigInt64Array':
      return { array: BigInt64Array, words: 2, signed: 1 };
    default:
      return undefined;
  }
}

export function isIntegerArray(value: unknown): value is IntegerArray {
  return kindOf(value) !== undefined;
}

/** Keys that are integers already: they are copied as they lie. */
export class IntegerSource implements Source {
  readonly count: number;
  position = 0;
  readonly #kind: Kind;
  readonly #words: Uint32Array;
  #from = 0;
  #kept: Uint32Array<ArrayBuffer> | undefined;
  #keptWords = 0;

  constructor(keys: IntegerArray) {
    this.#kind = kindOf(keys) as Kind;
    this.count = lengthOf(keys);
    this.#words = new Uint32Array(keys.buffer, keys.byteOffset, this.count * this.#kind.words);
  }

  collect(): boolean {
    return this.position < this.count;
  }

  hash({ kernel, scratch }: Instance, seed: number): number {
    const { words, signed } = this.#kind;
    this.#from = this.position;
    this.position = Math.min(this.#from + CHUNK_KEYS, this.count);
    const count = this.position - this.#from;
    scratch.keyWords.set(this.#words.subarray(this.#from * words, this.position * words));
    if (words === 1) kernel.hash_32(scratch.keys, count, signed, seed, scratch.hashes);
    else kernel.hash_64(scratch.keys, count, seed, scratch.hashes);
    return count;
  }

  keep({ scratch }: Instance, wanted: number): void {
    const { words } = this.#kind;
    this.#kept ??= new Uint32Array(this.#words.length);
    for (let i = this.#from; i < this.position; i++) {
      if (scratch.flagBytes[i - this.#from] !== wanted) continue;
      for (let word = 0; word < words; word++) {
        this.#kept[this.#keptWords++] = this.#words[i * words + word] ?? 0;
      }
    }
  }

  kept(): IntegerArray {
    const { array } = this.#kind;
    return new array(this.#kept?.buffer.slice(0, 4 * this.#keptWords) ?? new ArrayBuffer(0));
  }

  close(): void {}
}
