/** A small random generator with a fixed seed (mulberry32). It returns integers from 0 to `limit` − 1. */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** Random hashes: pairs of 64-bit integers. */
export function randomHashes(seed: number, count: number): (readonly [h1: bigint, h2: bigint])[] {
  const random = randomFrom(seed);
  const next = (): bigint => (BigInt(random(2 ** 32)) << 32n) | BigInt(random(2 ** 32));
  return Array.from({ length: count }, () => [next(), next()]);
}
