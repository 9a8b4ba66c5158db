// In place of a hash: where the bytes of a key lie, and how many they are. For systems that need more of a key than the
// 16 bytes of a hash: their loops hash the keys of a chunk as they probe, because the keys lie in the scratch until then.
//
// A place is only good in the memory in which it was made, and until the next key is written to the same bytes.

/** Writes the address of a key, then its length, both as u32, to `out`. */
@inline
export function place(key: usize, length: usize, out: usize): void {
  store<u32>(out, key);
  store<u32>(out, length, 4);
}

/** The place of the 8 bytes of `value`, little-endian: they lie in the second half of `out`. */
@inline
export function placeOfU64(value: u64, out: usize): void {
  store<u64>(out, value, 8);
  place(out + 8, 8, out);
}
