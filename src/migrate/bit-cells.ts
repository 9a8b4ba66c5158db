// The bits of a migrated filter. Both packages choose them by enhanced double hashing, from two hashes of a key.

/** The most bits that filters of these packages can have: an index is an unsigned 32-bit integer. */
export const MOST_BITS: number = 2 ** 32;
/** The most hashes. With no more than that, all sums of indices are exact, here and in the packages. */
export const MOST_HASHES: number = 2 ** 16 - 1;

/** The size of the bits of a filter. */
export interface Shape {
  /** The number of bits that an index chooses from. */
  readonly modulus: number;
  /** The number of indices for each key. */
  readonly hashes: number;
  /** Whether each index has bits of its own. If not, all have the same. */
  readonly isSliced: boolean;
}

function countOnes(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export class BitCells {
  readonly shape: Shape;
  /** Bit i of a slice is in word i >>> 5 of the slice, at i & 31. */
  readonly words: Int32Array;
  /** The number of words of a slice. */
  readonly #sliceWords: number;

  constructor(shape: Shape) {
    this.shape = shape;
    this.#sliceWords = Math.ceil(shape.modulus / 32);
    this.words = new Int32Array(this.#sliceWords * (shape.isSliced ? shape.hashes : 1));
  }

  /** The words of a slice. Without slices, all are in the first. */
  slice(number: number): Int32Array {
    return this.words.subarray(number * this.#sliceWords, (number + 1) * this.#sliceWords);
  }

  /** Whether all bits of a key are set. Its two hashes are integers from 0 to `modulus` − 1. */
  holds(first: number, second: number): boolean {
    const { words } = this;
    const { modulus, hashes, isSliced } = this.shape;
    const stride = isSliced ? this.#sliceWords : 0;
    let index = first;
    let step = second;
    for (let i = 0, from = 0; ; from += stride) {
      if ((((words[from + (index >>> 5)] as number) >>> (index & 31)) & 1) === 0) return false;
      if (++i === hashes) return true;
      index += step;
      if (index >= modulus) index -= modulus;
      step += i;
      // There may be more hashes than bits.
      if (step >= modulus) step %= modulus;
    }
  }

  /** The share of set bits in each slice. */
  fillRatios(): number[] {
    const { modulus, hashes, isSliced } = this.shape;
    return Array.from({ length: isSliced ? hashes : 1 }, (_, slice) => {
      let ones = 0;
      for (const word of this.slice(slice)) ones += countOnes(word);
      return ones / modulus;
    });
  }
}
