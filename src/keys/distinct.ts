// Which of many hashes are the same.

import { HASH_BYTES, HASH_WORDS } from '../kernel/scratch.ts';

/** A random word for each value of each byte of a hash. Made when they are first needed. */
let randomWords: Int32Array | undefined;

/** The random words of the four bytes of a word, combined. The first byte has those from `at` on. */
function scatterWord(table: Int32Array, at: number, word: number): number {
  return (
    (table[at + (word & 0xff)] as number) ^
    (table[at + 256 + ((word >> 8) & 0xff)] as number) ^
    (table[at + 512 + ((word >> 16) & 0xff)] as number) ^
    (table[at + 768 + (word >>> 24)] as number)
  );
}

/**
 * A number for a hash: by tabulation, with a secret random table. Whoever chooses keys can give many hashes bits in common,
 * but cannot give them numbers near one another, which would make searches long.
 *
 * Source: M. Pătraşcu and M. Thorup, The Power of Simple Tabulation Hashing, Journal of the ACM 59(3), 2012.
 */
function scatterAt(hashes: Int32Array, at: number): number {
  randomWords ??= Int32Array.from({ length: 256 * HASH_BYTES }, () => Math.random() * 2 ** 32);
  const table = randomWords;
  return (
    scatterWord(table, 0, hashes[at] as number) ^
    scatterWord(table, 1024, hashes[at + 1] as number) ^
    scatterWord(table, 2048, hashes[at + 2] as number) ^
    scatterWord(table, 3072, hashes[at + 3] as number)
  );
}

/**
 * Moves the first of each of several equal hashes to the front, in the order in which they came, and returns the part of
 * the array that they take.
 *
 * Takes 6 to 12 bytes for each hash while it runs: an open hash table of the places of hashes.
 *
 * @param words the words of all hashes; overwritten
 */
export function distinctHashes(words: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const size = 2 ** Math.ceil(Math.log2(1 + (1.5 * words.length) / HASH_WORDS));
  // The number of a hash that was kept, from 1 on; 0 in a free entry.
  const table = new Uint32Array(size);
  let end = 0;
  for (let at = 0; at < words.length; at += HASH_WORDS) {
    let entry = scatterAt(words, at) & (size - 1);
    while (table[entry] !== 0 && !areEqual(words, at, ((table[entry] as number) - 1) * HASH_WORDS)) {
      entry = (entry + 1) & (size - 1);
    }
    if (table[entry] !== 0) continue;
    words.copyWithin(end, at, at + HASH_WORDS);
    end += HASH_WORDS;
    table[entry] = end / HASH_WORDS;
  }
  return words.subarray(0, end);
}

/** Whether the hashes at two places are the same. */
function areEqual(words: Int32Array, one: number, other: number): boolean {
  for (let i = 0; i < HASH_WORDS; i++) if (words[one + i] !== words[other + i]) return false;
  return true;
}
