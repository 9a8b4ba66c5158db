// Residues of 64-bit integers modulo m, the number of bits of a filter, at most 2^53.

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
