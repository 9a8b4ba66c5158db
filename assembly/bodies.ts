// Operations on filter bodies, whatever the kind of filter. Lengths are multiples of 8: bodies are padded with zero
// bytes, which stay zero.

/** The number of one bits, which may exceed 2^32. */
export function bits_count(at: usize, length: usize): f64 {
  let count: u64 = 0;
  for (const end = at + length; at < end; at += 8) count += popcnt(load<u64>(at));
  return <f64>count;
}

/** target |= source */
export function bits_or(target: usize, source: usize, length: usize): void {
  for (const end = target + length; target < end; target += 8, source += 8) {
    store<u64>(target, load<u64>(target) | load<u64>(source));
  }
}

/** target &= source */
export function bits_and(target: usize, source: usize, length: usize): void {
  for (const end = target + length; target < end; target += 8, source += 8) {
    store<u64>(target, load<u64>(target) & load<u64>(source));
  }
}

/** 1 if both ranges hold the same bytes, else 0. */
export function bits_equal(one: usize, other: usize, length: usize): u32 {
  for (const end = one + length; one < end; one += 8, other += 8) {
    if (load<u64>(one) != load<u64>(other)) return 0;
  }
  return 1;
}

/** Sets every byte to `value`. */
export function bits_fill(at: usize, value: u8, length: usize): void {
  memory.fill(at, value, length);
}
