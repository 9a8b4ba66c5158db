import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entries } from '../shared/kinds.ts';
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

describe.each(parquet)('filters of Parquet: $name', ({ blocks, hashes, bytes }) => {
  const expected = Buffer.from(bytes, 'base64');
  const words = BigUint64Array.from(hashes.flatMap((hash) => [BigInt(`0x${hash}`), 0n]));

  it.each(entries)('equal what the kernel makes from the same hashes: $name', ({ engine }) => {
    const region = engine.reserve(32 * blocks);
    const { kernel, scratch, memory } = region.instance;
    new BigUint64Array(memory.buffer, scratch.hashes, words.length).set(words);
    kernel.blocked_add(region.pointer, blocks, scratch.hashes, hashes.length, scratch.flags);
    expect(Buffer.compare(region.bytes.subarray(0, region.byteLength), expected)).toBe(0);
    expect(kernel.blocked_has(region.pointer, blocks, scratch.hashes, hashes.length, scratch.flags)).toBe(
      hashes.length,
    );
    region.dispose();
  });

  it('equal what the oracle makes from the same hashes', () => {
    const made = new Uint8Array(32 * blocks);
    for (const hash of hashes) {
      for (const bit of blockedBitsOf(BigInt(`0x${hash}`), blocks))
        made[bit >> 3] = (made[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
    expect(Buffer.compare(made, expected)).toBe(0);
  });
});
