// The classic Bloom filter: a key sets k of m bits, and is present if all its k bits are set.
//
// With (h1, h2) the key's hash, s begins at h1 and steps as a linear congruential generator whose increment is
// the key's own; index i is floor(s · m / 2^64). The format freezes this: another derivation is another kind.
// m crosses as f64, exact to 2^53.

export const STEP: u64 = 0xd1342543de82ef95;
/** The empty key hashes to (0, 0): without this all its indices would be 0. */
export const OFFSET: u64 = 0x9e3779b97f4a7c15;
const LOW: u64 = 0xffffffff;

/** floor(s · m / 2^64) in halves of 32 bits: two multiplications where m < 2^32, four where it is not. */
@inline
export function scale(s: u64, m: u64): u64 {
  const high = s >> 32;
  const low = s & LOW;
  const middle = high * (m & LOW) + ((low * (m & LOW)) >> 32);
  const wide = m >> 32;
  if (!wide) return middle >> 32;
  return high * wide + (middle >> 32) + (((middle & LOW) + low * wide) >> 32);
}

/** Adds `count` hashes. */
export function bloom_add(body: usize, bits: f64, k: u32, hashes: usize, count: u32): void {
  const m = <u64>bits;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16) {
    let s = load<u64>(hashes);
    const d = load<u64>(hashes, 8) ^ OFFSET;
    for (let i: u32 = 0; i < k; i++, s = s * STEP + d) {
      const index = scale(s, m);
      assert(index < m);
      const byte = body + <usize>(index >> 3);
      store<u8>(byte, <u32>load<u8>(byte) | (1 << (<u32>index & 7)));
    }
  }
}

/** Adds `count` hashes, flags with 1 those that were certainly absent, and returns how many. */
export function bloom_add_flags(body: usize, bits: f64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  const m = <u64>bits;
  let added: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    let s = load<u64>(hashes);
    const d = load<u64>(hashes, 8) ^ OFFSET;
    let fresh: u32 = 0;
    for (let i: u32 = 0; i < k; i++, s = s * STEP + d) {
      const index = scale(s, m);
      assert(index < m);
      const byte = body + <usize>(index >> 3);
      const old: u32 = load<u8>(byte);
      const bit: u32 = 1 << (<u32>index & 7);
      fresh |= ~old & bit;
      store<u8>(byte, old | bit);
    }
    const flag = u32(fresh != 0);
    store<u8>(flags, flag);
    added += flag;
  }
  return added;
}

/** Flags with 1 those of `count` hashes that may be present, and returns how many. */
export function bloom_has(body: usize, bits: f64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  const m = <u64>bits;
  let present: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    let s = load<u64>(hashes);
    const d = load<u64>(hashes, 8) ^ OFFSET;
    let flag: u32 = 1;
    for (let i: u32 = 0; i < k && flag; i++, s = s * STEP + d) {
      const index = scale(s, m);
      assert(index < m);
      flag = (<u32>load<u8>(body + <usize>(index >> 3)) >> (<u32>index & 7)) & 1;
    }
    store<u8>(flags, flag);
    present += flag;
  }
  return present;
}
