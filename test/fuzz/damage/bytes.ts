import { pick, type Random } from '../subject.ts';

/** Integers at the edges of ranges and types. */
const EDGES: readonly bigint[] = [
  ...[0n, 1n, 7n, 8n, 64n, 255n, 256n, 65535n],
  ...[2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 63n, -1n],
];

/** An integer at an edge or beside it, or a small one. */
export function edge(random: Random): bigint {
  return random(4) === 0 ? BigInt(random(300)) : pick(random, EDGES) + BigInt(random(3) - 1);
}

/** A value of any type: an object or the like, one of some others, a fraction, or an integer at an edge. */
export function anything(random: Random, others: readonly unknown[]): unknown {
  switch (random(5)) {
    case 0:
      return pick<unknown>(random, [null, true, '', [], {}, [[[]]], { toString: 1 }, 'x'.repeat(300)]);
    case 1:
      return pick(random, others);
    case 2:
      return random(1000) / pick(random, [100, 1000]);
    default:
      return Number(edge(random));
  }
}

function randomBytes(random: Random, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = random(256);
  return bytes;
}

/** Replaces up to 8 bytes by up to 8 others. */
function splice(bytes: Uint8Array, random: Random): Uint8Array {
  const from = random(bytes.length + 1);
  const kept = bytes.subarray(from + random(9));
  const inserted = randomBytes(random, random(9));
  const spliced = new Uint8Array(from + inserted.length + kept.length);
  spliced.set(bytes.subarray(0, from));
  spliced.set(inserted, from);
  spliced.set(kept, from + inserted.length);
  return spliced;
}

/** Swaps two runs of the same length. */
function swap(bytes: Uint8Array, random: Random): Uint8Array {
  const length = 1 + random(Math.min(64, bytes.length >> 1));
  const one = random(bytes.length - 2 * length + 1);
  const other = one + length + random(bytes.length - 2 * length - one + 1);
  const moved = bytes.slice(one, one + length);
  bytes.copyWithin(one, other, other + length);
  bytes.set(moved, other);
  return bytes;
}

/** Damages bytes in one place. May change them, or return others of another length. */
export function damageBytes(bytes: Uint8Array, random: Random): Uint8Array {
  if (bytes.length < 2) return randomBytes(random, random(9));
  const at = random(bytes.length);
  switch (random(6)) {
    case 0:
    case 1:
      bytes[at] = (bytes[at] as number) ^ (1 << random(8));
      return bytes;
    case 2:
      bytes[at] = random(256);
      return bytes;
    case 3:
      return swap(bytes, random);
    case 4:
      return random(4) === 0 ? bytes.slice(0, at) : splice(bytes, random);
    default:
      bytes.fill(pick(random, [0, 255]), at, at + 1 + random(16));
      return bytes;
  }
}
