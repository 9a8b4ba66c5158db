// The split-block Bloom filter, as Parquet defines it: a key sets one bit in each of the eight 32-bit words of one
// block of 32 bytes, and touches one cache line instead of k.
//
// The high half of h1 chooses the block; word w gets bit (low32(h1) · salt[w]) >> 27. The format freezes this.

/** 2^(x · salt >> 27) in each of four words. */
@inline
function masks(x: u32, salts: v128): v128 {
  const lanes = i32x4.shr_u(i32x4.mul(i32x4.splat(x), salts), 27);
  // There is no shift by a vector: the power of two is made as a float, whose exponent is shifted into place.
  return i32x4.trunc_sat_f32x4_u(i32x4.shl(i32x4.add(lanes, i32x4.splat(127)), 23));
}

@inline
function firstMasks(x: u32): v128 {
  return masks(x, i32x4(0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d));
}

@inline
function lastMasks(x: u32): v128 {
  return masks(x, i32x4(0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31));
}

/** Sets the bit of one word, and returns it if it was not set. */
@inline
function setBit(word: usize, x: u32, salt: u32): u32 {
  const bit: u32 = 1 << ((x * salt) >> 27);
  const old = load<u32>(word);
  store<u32>(word, old | bit);
  return bit & ~old;
}

/** The bit of one word, if it is not set. */
@inline
function missing(word: usize, x: u32, salt: u32): u32 {
  return (1 << ((x * salt) >> 27)) & ~load<u32>(word);
}

/** The block of a hash. */
@inline
function blockOf(body: usize, h1: u64, blocks: u32): usize {
  return body + (<usize>(((h1 >> 32) * blocks) >> 32) << 5);
}

/** Sets the eight bits of a key; 1 if one of them was not set. */
@inline
function add(block: usize, x: u32): u32 {
  if (ASC_FEATURE_SIMD) {
    const first = firstMasks(x);
    const last = lastMasks(x);
    const oldFirst = v128.load(block);
    const oldLast = v128.load(block, 16);
    v128.store(block, v128.or(oldFirst, first));
    v128.store(block, v128.or(oldLast, last), 16);
    return u32(v128.any_true(v128.or(v128.andnot(first, oldFirst), v128.andnot(last, oldLast))));
  } else {
    const fresh =
      setBit(block, x, 0x47b6137b) | setBit(block + 4, x, 0x44974d91) |
      setBit(block + 8, x, 0x8824ad5b) | setBit(block + 12, x, 0xa2b7289d) |
      setBit(block + 16, x, 0x705495c7) | setBit(block + 20, x, 0x2df1424b) |
      setBit(block + 24, x, 0x9efc4947) | setBit(block + 28, x, 0x5c6bfb31);
    return u32(fresh != 0);
  }
}

/** 1 if all eight bits of a key are set. */
@inline
function has(block: usize, x: u32): u32 {
  if (ASC_FEATURE_SIMD) {
    const first = v128.andnot(firstMasks(x), v128.load(block));
    const last = v128.andnot(lastMasks(x), v128.load(block, 16));
    return u32(!v128.any_true(v128.or(first, last)));
  } else {
    const absent =
      missing(block, x, 0x47b6137b) | missing(block + 4, x, 0x44974d91) |
      missing(block + 8, x, 0x8824ad5b) | missing(block + 12, x, 0xa2b7289d) |
      missing(block + 16, x, 0x705495c7) | missing(block + 20, x, 0x2df1424b) |
      missing(block + 24, x, 0x9efc4947) | missing(block + 28, x, 0x5c6bfb31);
    return u32(absent == 0);
  }
}

/**
 * Adds `count` hashes, flags with 1 those that were certainly absent, and returns how many. The flags are there for the
 * asking: whether one is set is known from the words that are written anyway.
 */
export function blocked_add(body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): u32 {
  let added: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    const h1 = load<u64>(hashes);
    const flag = add(blockOf(body, h1, blocks), <u32>h1);
    store<u8>(flags, flag);
    added += flag;
  }
  return added;
}

/** Flags with 1 those of `count` hashes that may be present, and returns how many. */
export function blocked_has(body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): u32 {
  let present: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    const h1 = load<u64>(hashes);
    const flag = has(blockOf(body, h1, blocks), <u32>h1);
    store<u8>(flags, flag);
    present += flag;
  }
  return present;
}

/** The mean over blocks of the share of absent keys for which all eight words of the block have the bit. */
export function blocked_error_rate(body: usize, blocks: u32): f64 {
  let sum: f64 = 0;
  for (const end = body + (<usize>blocks << 5); body < end; ) {
    let share: f64 = 1;
    for (const next = body + 32; body < next; body += 4) share *= <f64>popcnt(load<u32>(body)) / 32;
    sum += share;
  }
  return sum / blocks;
}
