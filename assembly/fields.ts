// Fields of 1 to 32 bits, side by side in memory.
//
// A field may begin at any bit. WebAssembly reads the 8 bytes around it, at any address. Such unaligned reads are slow
// in plain JavaScript, so that build reads two aligned words of 4 bytes.

/** The greatest width with four fields in 64 bits. */
export const MOST_IN_WORD: u32 = 16;

@inline
export function maskOf(bits: u32): u32 {
  return 0xffffffff >> (32 - bits);
}

/** The number 1 in each of four fields, of at most MOST_IN_WORD bits each. */
@inline
export function onesOf(bits: u32): u64 {
  const two = 1 | (<u64>1 << bits);
  return two | (two << (2 * bits));
}

/** Reads the field of `bits` bits at bit `start` from `byte` on. */
@inline
export function readField(byte: usize, start: u32, bits: u32): u32 {
  if (ASC_FEATURE_SIMD) return <u32>(load<u64>(byte + (start >> 3), 0, 1) >> (start & 7)) & maskOf(bits);
  start += <u32>(byte & 3) << 3;
  const word = (byte & ~3) + (start >> 5 << 2);
  // Two shifts to the left, because a single one by 32 would shift by 0.
  return ((load<u32>(word) >> start) | (load<u32>(word, 4) << 1 << (~start & 31))) & maskOf(bits);
}

/** Writes the field of `bits` bits at bit `start` from `byte` on. */
@inline
export function writeField(byte: usize, start: u32, bits: u32, value: u32): void {
  const mask = maskOf(bits);
  if (ASC_FEATURE_SIMD) {
    const at = byte + (start >> 3);
    const old = load<u64>(at, 0, 1);
    store<u64>(at, (old & ~(<u64>mask << (start & 7))) | (<u64>value << (start & 7)), 0, 1);
    return;
  }
  start += <u32>(byte & 3) << 3;
  const word = (byte & ~3) + (start >> 5 << 2);
  const left = ~start & 31;
  store<u32>(word, (load<u32>(word) & ~(mask << start)) | (value << start));
  store<u32>(word, (load<u32>(word, 4) & ~(mask >> 1 >> left)) | (value >> 1 >> left), 4);
}
