// What somebody can do who chooses keys for filters whose hash is MurmurHash3, which is public.
//
//   const ids = collidingIds(12); // 4096 ids with one hash, whatever the seed
//   const filling = fillingNames(hashKeys, 1000, bits, hashes); // names that share no bit in a filter of seed 0

/** The low 64 bits. */
const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (value: bigint, bits: bigint): bigint => u64((value << bits) | (value >> (64n - bits)));

/** The number whose product with an odd number is 1, modulo 2^64. */
function inverse(odd: bigint): bigint {
  let found = odd;
  // Each step doubles the number of right bits: 3, 6, …, 96.
  for (let step = 0; step < 5; step++) found = u64(found * (2n - odd * found));
  return found;
}

// Constants of MurmurHash3.
const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;

/** The half of a block of 16 bytes that the hash turns into `mixed` before it meets the state. */
function unmixFirst(mixed: bigint): bigint {
  return u64(rotate(u64(mixed * inverse(C2)), 33n) * inverse(C1));
}

function unmixSecond(mixed: bigint): bigint {
  return u64(rotate(u64(mixed * inverse(C1)), 31n) * inverse(C2));
}

/** 32 bytes, two blocks, from what their halves are turned into. */
function blocksOf(...[first1, second1, first2, second2]: [bigint, bigint, bigint, bigint]): Uint8Array {
  const blocks = [unmixFirst(first1), unmixSecond(second1), unmixFirst(first2), unmixSecond(second2)];
  return new Uint8Array(BigUint64Array.from(blocks).buffer);
}

/**
 * Two times 32 bytes that lead from one state of the hash to one other, whatever it is. In the first block, they differ
 * in one bit for h1, which becomes its highest bit; what this does to h2 is undone by a bit of the second half. In the
 * second block, they differ in the highest bit, which undoes the difference of h1.
 */
function collidingBlocks(n: bigint): [Uint8Array, Uint8Array] {
  return [blocksOf(n, n, n, n), blocksOf(n ^ (1n << 36n), n ^ (1n << 32n), n ^ (1n << 63n), n)];
}

/** Makes 2^doublings different ids of 32 · doublings bytes. They have one hash, for every seed. */
export function collidingIds(doublings: number): Uint8Array[] {
  let ids = [new Uint8Array(0)];
  for (let i = 1; i <= doublings; i++) {
    const blocks = collidingBlocks(BigInt(i));
    ids = blocks.flatMap((block) => ids.map((id) => Uint8Array.from([...id, ...block])));
  }
  return ids;
}

/** The bits of each key in a classic filter, from its hash: docs/format.md. */
function* bitsOf(hash: DataView, bits: number, hashes: number): Generator<number, void, undefined> {
  const d = hash.getBigUint64(8, true) ^ 0x9e3779b97f4a7c15n;
  let s = hash.getBigUint64(0, true);
  for (let i = 0; i < hashes; i++) {
    yield Number((s * BigInt(bits)) >> 64n);
    s = u64(s * 0xd1342543de82ef95n + d);
  }
}

/** `hashKeys` of bloomery/hash. */
type HashKeys = (keys: readonly string[]) => { readonly bytes: Uint8Array };

/** Finds names no two of which have a bit in common, in a classic filter of seed 0. The later, the more are tried. */
export function fillingNames(hashKeys: HashKeys, count: number, bits: number, hashes: number): string[] {
  const used = new Set<number>();
  const names: string[] = [];
  for (let tried = 0; names.length < count; tried += 1000) {
    const some = Array.from({ length: 1000 }, (_, i) => `stranger ${tried + i}`);
    const { buffer, byteOffset } = hashKeys(some).bytes;
    for (const [i, name] of some.entries()) {
      const own = [...bitsOf(new DataView(buffer, byteOffset + 16 * i, 16), bits, hashes)];
      if (names.length === count || own.some((bit) => used.has(bit))) continue;
      for (const bit of own) used.add(bit);
      names.push(name);
    }
  }
  return names;
}
