// Residues modulo m of the terms c, c + d, c + 2d … of a sequence of 64-bit integers that wraps at 2^64, as several
// systems choose the bits of a key. Only c and d are divided: after that, each residue follows from the one before by
// additions, because 2^64 itself has a residue, which is subtracted where the sequence wraps.
//
// m is at most 2^53, so no sum of three residues overflows.

/** x mod m for m < 2^32, 16 bits at a time: floats hold each quotient exactly. */
@inline
function residueOfHalves(x: u64, m: u32): u64 {
  let rest = <f64>(<u32>(x >> 32) % m);
  rest = rest * 65536 + <f64>(<u32>x >> 16);
  rest -= floor<f64>(rest / <f64>m) * <f64>m;
  rest = rest * 65536 + <f64>(<u32>x & 0xffff);
  rest -= floor<f64>(rest / <f64>m) * <f64>m;
  return <u64>(<u32>rest);
}

/** x mod m. Without instructions for 64 bits, division by a small m is left to floats, which take a tenth of the time. */
@inline
export function residueOf(x: u64, m: u64): u64 {
  if (ASC_FEATURE_SIMD || m >> 32) return x % m;
  return residueOfHalves(x, <u32>m);
}

/** 2^64 mod m */
@inline
export function residueOfWrap(m: u64): u64 {
  return residueOf(residueOf(u64.MAX_VALUE, m) + 1, m);
}

/** x mod m for x < 2m */
@inline
export function reduce(x: u64, m: u64): u64 {
  return x >= m ? x - m : x;
}

/**
 * The residue of the next term. `r` is that of the term before, `d` that of the step, `wrap` is 2^64 mod m, and
 * `wrapped` says that the new term is less than the step: the sequence has wrapped.
 */
@inline
export function nextResidue(r: u64, d: u64, wrap: u64, wrapped: bool, m: u64): u64 {
  const sum = reduce(r + d, m);
  return reduce(wrapped ? sum + m - wrap : sum, m);
}
