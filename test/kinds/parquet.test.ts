import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as js from '../../src/entries/js.ts';
import { HashedKeys } from '../../src/hash.ts';
import * as wasm from '../../src/index.ts';
import { HEADER } from '../format/saved.ts';
import { blockedBitsOf } from '../shared/oracle.ts';

interface Vector {
  readonly name: string;
  readonly blocks: number;
  /** xxHash64 of the keys, in hexadecimal. */
  readonly hashes: readonly string[];
  readonly bytes: string;
}

// Parquet filters and ours differ only in the hash. Apache's parquet-java made the bytes.
const parquet = JSON.parse(
  readFileSync(new URL('../vectors/parquet.json', import.meta.url), 'utf8'),
) as readonly Vector[];

it.each(parquet)("a filter of Parquet is what ours is, and the oracle's, of the same hashes: $name", (vector) => {
  const expected = Buffer.from(vector.bytes, 'base64');
  const halves = vector.hashes.map((hash) => BigInt(`0x${hash}`));
  const hashed = new HashedKeys(new Uint8Array(BigUint64Array.from(halves.flatMap((h1) => [h1, 0n])).buffer));
  for (const { BlockedBloomFilter } of [wasm, js]) {
    const filter = new BlockedBloomFilter({ bits: 256 * vector.blocks }).addMany(hashed);
    expect(Buffer.compare(filter.toBytes().subarray(HEADER), expected)).toBe(0);
    expect(filter.omit(hashed).length).toBe(0);
  }
  const made = new Uint8Array(32 * vector.blocks);
  for (const bit of halves.flatMap((h1) => blockedBitsOf(h1, vector.blocks))) {
    made[bit >> 3] = (made[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  expect(Buffer.compare(made, expected)).toBe(0);
});
