// MurmurHash3 x64_128, without the kernel.

import { add, addConstant, type Constant, fold33, multiply, rotate, xor } from '../words.ts';

const C1: Constant = { low: 0x114253d5, high: 0x87c37b91 };
const C2: Constant = { low: 0x2745937f, high: 0x4cf5ad43 };
const FIRST: Constant = { low: 0xed558ccd, high: 0xff51afd7 };
const SECOND: Constant = { low: 0x1a85ec53, high: 0xc4ceb9fe };

/** The bytes of a block. */
const BLOCK = 16;

// Where the words are.

const H1 = 0;
const H2 = 2;
const INPUT = 4;
const WORDS = 6;

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
  multiply(words, at, FIRST);
  fold33(words, at);
  multiply(words, at, SECOND);
  fold33(words, at);
}

/** The hash of bytes: h1, then h2, each with its lower half first. */
export function murmur3({ buffer, byteOffset, length }: Uint8Array, seed: number): Int32Array<ArrayBuffer> {
  const words = new Int32Array(WORDS);
  words[H1] = seed;
  words[H2] = seed;
  const whole = length - (length % BLOCK);
  const view = new DataView(buffer, byteOffset, whole);
  for (let from = 0; from < whole; from += BLOCK) {
    mixInput(words, H1, view, from);
    rotate(words, H1, 27);
    addWord(words, H1, H2);
    multiply(words, H1, { low: 5, high: 0 });
    addConstant(words, H1, { low: 0x52dce729, high: 0 });
    mixInput(words, H2, view, from + 8);
    rotate(words, H2, 31);
    addWord(words, H2, H1);
    multiply(words, H2, { low: 5, high: 0 });
    addConstant(words, H2, { low: 0x38495ab5, high: 0 });
  }
  // Bytes that are missing count as 0, which changes nothing.
  const last = new Uint8Array(BLOCK);
  last.set(new Uint8Array(buffer, byteOffset + whole, length - whole));
  const rest = new DataView(last.buffer);
  mixInput(words, H1, rest, 0);
  mixInput(words, H2, rest, 8);
  for (const at of [H1, H2]) xor(words, at, length, 0);
  addWord(words, H1, H2);
  addWord(words, H2, H1);
  for (const at of [H1, H2]) avalanche(words, at);
  addWord(words, H1, H2);
  addWord(words, H2, H1);
  return words.subarray(0, INPUT);
}
