// MurmurHash3 x64_128, without the kernel.

import { add, addConstant, type Constant, fold33, multiply, rotate, xor } from '../util/words.ts';

const C1: Constant = { low: 0x114253d5, high: 0x87c37b91 };
const C2: Constant = { low: 0x2745937f, high: 0x4cf5ad43 };
const FIVE: Constant = { low: 5, high: 0 };
const FIRST_SUMMAND: Constant = { low: 0x52dce729, high: 0 };
const SECOND_SUMMAND: Constant = { low: 0x38495ab5, high: 0 };
const FIRST_FACTOR: Constant = { low: 0xed558ccd, high: 0xff51afd7 };
const SECOND_FACTOR: Constant = { low: 0x1a85ec53, high: 0xc4ceb9fe };

/** The bytes of a block. */
const BLOCK = 16;

// Where the words are.

const H1 = 0;
const H2 = 2;
const INPUT = 4;
/** The number of words of 32 bits that `murmur3` works in. */
export const WORDS = 6;

/** Adds one word to another. */
function addWord(words: Int32Array, at: number, other: number): void {
  add(words, at, words[other] as number, words[other + 1] as number);
}

/** Mixes the 8 bytes from `from` on into the word at `at`. */
function mixInput(words: Int32Array, at: number, view: DataView, from: number): void {
  words[INPUT] = view.getInt32(from, true);
  words[INPUT + 1] = view.getInt32(from + 4, true);
  multiply(words, INPUT, at === H1 ? C1 : C2);
  if (at === H1) {
    rotate(words, INPUT, 31);
  } else {
    // By 33: the halves change places.
    const low = words[INPUT] as number;
    words[INPUT] = words[INPUT + 1] as number;
    words[INPUT + 1] = low;
    rotate(words, INPUT, 1);
  }
  multiply(words, INPUT, at === H1 ? C2 : C1);
  xor(words, at, words[INPUT] as number, words[INPUT + 1] as number);
}

/** Mixes all bits of a word into one another. */
export function avalanche(words: Int32Array, at: number): void {
  fold33(words, at);
  multiply(words, at, FIRST_FACTOR);
  fold33(words, at);
  multiply(words, at, SECOND_FACTOR);
  fold33(words, at);
}

/** The bytes after the last whole block, and zeros. */
const last = new Uint8Array(BLOCK);
const lastView = new DataView(last.buffer);

/** Hashes bytes, and writes h1, then h2, each with its lower half first, to the beginning of `words`. */
export function murmur3(words: Int32Array, bytes: Uint8Array, seed: number): void {
  const { length } = bytes;
  words.fill(0, H1, INPUT);
  words[H1] = seed;
  words[H2] = seed;
  const whole = length - (length % BLOCK);
  if (whole > 0) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, whole);
    for (let from = 0; from < whole; from += BLOCK) {
      mixInput(words, H1, view, from);
      rotate(words, H1, 27);
      addWord(words, H1, H2);
      multiply(words, H1, FIVE);
      addConstant(words, H1, FIRST_SUMMAND);
      mixInput(words, H2, view, from + 8);
      rotate(words, H2, 31);
      addWord(words, H2, H1);
      multiply(words, H2, FIVE);
      addConstant(words, H2, SECOND_SUMMAND);
    }
  }
  // Bytes that are missing count as 0, which changes nothing.
  last.fill(0);
  for (let at = whole; at < length; at++) last[at - whole] = bytes[at] as number;
  mixInput(words, H1, lastView, 0);
  mixInput(words, H2, lastView, 8);
  xor(words, H1, length, 0);
  xor(words, H2, length, 0);
  addWord(words, H1, H2);
  addWord(words, H2, H1);
  avalanche(words, H1);
  avalanche(words, H2);
  addWord(words, H1, H2);
  addWord(words, H2, H1);
}
