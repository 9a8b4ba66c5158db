// Operations on 64-bit integers for the hot loops. WebAssembly has an instruction for each. The build that becomes
// plain JavaScript makes them of 32-bit operations: wasm2js would call a function for each product and rotation, branch
// at each carry, and load unaligned integers byte by byte.

/** The high half of the product of two 32-bit integers. */
@inline
export function multiplyHigh(a: u32, b: u32): u32 {
  if (ASC_FEATURE_SIMD) return <u32>((<u64>a * b) >> 32);
  const aLow = a & 0xffff;
  const aHigh = a >> 16;
  const bLow = b & 0xffff;
  const bHigh = b >> 16;
  // No sum exceeds 32 bits.
  const middle = aHigh * bLow + ((aLow * bLow) >> 16);
  return aHigh * bHigh + (middle >> 16) + ((aLow * bHigh + (middle & 0xffff)) >> 16);
}

/** floor(a · n / 2^64) for the 64-bit integer a at an aligned address. */
@inline
export function scaleLoaded(a: usize, n: u32): u32 {
  const high = load<u32>(a, 4);
  const low = high * n;
  // The product has 96 bits: this is the carry into the upper 32.
  return multiplyHigh(high, n) + u32(low + multiplyHigh(load<u32>(a), n) < low);
}

/** a · b, modulo 2^64 */
@inline
export function multiply(a: u64, b: u64): u64 {
  if (ASC_FEATURE_SIMD) return a * b;
  const low = <u32>a;
  const high = low * <u32>(b >> 32) + <u32>(a >> 32) * <u32>b + multiplyHigh(low, <u32>b);
  return (<u64>high << 32) | (low * <u32>b);
}

/**
 * a · b, modulo 2^64, for some constants b. The low 32 bits of b are bHigh · 2^16 + bLow, modulo 2^32, where bHigh and
 * bLow are signed 16-bit integers. bHigh + bLow must fit 16 bits too: then no sum of partial products overflows an i32.
 * For other constants the result may be wrong.
 */
@inline
export function multiplyConstant(a: u64, b: u64): u64 {
  if (ASC_FEATURE_SIMD) return a * b;
  const bLow = <i32>(<i16>b);
  const bHigh = (<i32>b - bLow) >> 16;
  const low = <u32>a;
  const aLow = <i32>(low & 0xffff);
  const aHigh = <i32>(low >> 16);
  const middle = aHigh * bLow + aLow * bHigh + ((aLow * bLow) >> 16);
  // A low half that is negative as a signed integer is 2^32 less than as an unsigned one.
  const top = <u32>(b >> 32) + (<u32>b >> 31);
  const high = <u32>(aHigh * bHigh) + low * top + <u32>(middle >> 16) + <u32>(a >> 32) * <u32>b;
  return (<u64>high << 32) | (low * <u32>b);
}

/** a + b, modulo 2^64. A branch on the carry, which is random, would be mispredicted half of the time. */
@inline
export function add(a: u64, b: u64): u64 {
  if (ASC_FEATURE_SIMD) return a + b;
  const low = <u32>a + <u32>b;
  const high = <u32>(a >> 32) + <u32>(b >> 32) + u32(low < <u32>a);
  return (<u64>high << 32) | low;
}

/** Rotates left by a constant number of bits, 1 … 63. */
@inline
export function rotate(a: u64, bits: u64): u64 {
  if (ASC_FEATURE_SIMD) return rotl(a, bits);
  return (a << bits) | (a >> (64 - bits));
}

/**
 * Loads the first or the second half of the 16 bytes at any address. May read 3 more bytes before the half and 4 after
 * it.
 */
@inline
export function loadHalf(second: bool, at: usize): u64 {
  if (ASC_FEATURE_SIMD) return second ? load<u64>(at, 8, 1) : load<u64>(at, 0, 1);
  const skipped = <u32>(at & 3) << 3;
  const word = (at & ~3) + (second ? 8 : 0);
  const a = load<u32>(word);
  const b = load<u32>(word, 4);
  const c = load<u32>(word, 8);
  // Two shifts to the left, because a single one by 32 would shift by 0.
  const low = (a >> skipped) | ((b << 1) << (31 - skipped));
  const high = (b >> skipped) | ((c << 1) << (31 - skipped));
  return low | (<u64>high << 32);
}

/** Loads the 4 bytes at any address. May read 3 more bytes before them and 4 after them. */
@inline
export function loadWord(at: usize): u32 {
  if (ASC_FEATURE_SIMD) return load<u32>(at, 0, 1);
  const skipped = <u32>(at & 3) << 3;
  const word = at & ~3;
  return (load<u32>(word) >> skipped) | ((load<u32>(word, 4) << 1) << (31 - skipped));
}
