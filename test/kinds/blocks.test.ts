// Properties of all kinds that have blocks: a key sets one bit in each word of one block.

import { describe, expect, it } from 'vitest';
import { HashedKeys } from '../../src/entries/hash.ts';
import { bodyOf } from '../format/saved.ts';
import { range } from '../shared/integers.ts';
import { combinableKinds, kindOn } from '../shared/kinds.ts';
import { wideBitsOf } from '../shared/oracle.ts';

const subjects = combinableKinds.filter(({ blockCells }) => blockCells > 1);

describe.each(subjects)('blocks: $kind', (subject) => {
  const { Filter, blockCells, bytesOf } = subject;
  const hashes = blockCells / 32;

  const sizes = [1, blockCells - 1, blockCells, blockCells + 1, 2 ** 24 + 1];
  it.each(sizes)('rounds %i bits up to whole blocks', (bits) => {
    const rounded = Math.ceil(bits / blockCells) * blockCells;
    const filter = new Filter({ bits });
    expect(filter).toMatchObject({ bits: rounded, byteLength: rounded / 8 });
    // The number of blocks counts, not the number of bits that was asked for.
    expect(filter.equals(new Filter({ bits: rounded }))).toBe(true);
  });

  it('sets the bits of the specification where the seed is the length of the keys, one by one and in batches', () => {
    for (const seed of [1, 4, 7, 8]) {
      const strings = range(0, 200).map((i) => String.fromCharCode(48 + (i % 71)).repeat(seed - 1) + (i % 10));
      for (const keys of [strings, range(0, 200)]) {
        const shape = { cells: 20 * blockCells, hashes, seed };
        const one = subject.sized(shape);
        for (const key of keys) one.add(key);
        expect(bodyOf(one)).toEqual(bytesOf(keys, shape));
        expect(bodyOf(subject.sized(shape).addMany(keys))).toEqual(bodyOf(one));
        expect([one.omit(keys), keys.every((key) => one.has(key))]).toEqual([[], true]);
      }
    }
  });
});

/** A seed, a hash, its block of 1000, and the bit in each word of it: computed apart, by the specification. */
const hashed = [
  // The integer 7, and "abcd".
  [8, 0x587362219a67c0a2n, 0x84ad1332679ba0f3n, 345, [24, 10, 4, 3, 15, 25, 0, 0, 7, 7, 23, 12, 13, 21, 29, 27]],
  [4, 0xfdee624858736452n, 0x7ce5936c84ad167bn, 991, [4, 24, 2, 28, 22, 16, 25, 14, 4, 7, 31, 8, 27, 1, 17, 10]],
  // The integer 7 at a seed that is not its length.
  [7, 0x1f6ef1ccf46341ean, 0x7608069401820245n, 122, [17, 10, 16, 18, 23, 11, 12, 23, 3, 20, 11, 16, 24, 7, 9, 16]],
  // 2 x and 3 x, the same with another highest bit, with only the low halves of both, and at other seeds.
  [1, 0x2468acf121579bden, 0xb69d0369b20369cdn, 142, [28, 4, 29, 1, 5, 3, 21, 6, 9, 18, 24, 25, 4, 7, 5, 6]],
  [8, 0x2468acf121579bden, 0x369d0369b20369cdn, 142, [28, 4, 29, 1, 5, 3, 21, 6, 25, 2, 8, 9, 20, 23, 21, 22]],
  [8, 0x2468acf121579bden, 0xb69d0469b20369cdn, 142, [28, 4, 29, 1, 5, 3, 21, 6, 27, 22, 11, 2, 24, 21, 0, 10]],
  [0, 0x2468acf121579bden, 0xb69d0369b20369cdn, 142, [28, 4, 29, 1, 5, 3, 21, 6, 27, 22, 11, 2, 24, 21, 0, 10]],
  [9, 0x2468acf121579bden, 0xb69d0369b20369cdn, 142, [28, 4, 29, 1, 5, 3, 21, 6, 27, 22, 11, 2, 24, 21, 0, 10]],
] as const;

it.each([kindOn('wide', 'wasm'), kindOn('wide', 'js')])('a hash sets the bits of its vector: $name', ({ Filter }) => {
  for (const [seed, h1, h2, block, bits] of hashed) {
    const set = bits.map((bit, word) => 512 * block + 32 * word + bit);
    expect(wideBitsOf(h1, h2, 1000, seed)).toEqual(set);
    const hash = new Uint8Array(BigUint64Array.of(h1, h2).buffer);
    const body = bodyOf(new Filter({ bits: 512 * 1000, seed }).addMany(new HashedKeys(hash, seed)));
    expect(range(0, 8 * body.length).filter((bit) => ((body[bit >> 3] ?? 0) >> (bit & 7)) & 1)).toEqual(set);
    expect(hash).toEqual(new Uint8Array(BigUint64Array.of(h1, h2).buffer));
  }
});
