// Setting bits in a memory that threads share. Without threads, nothing of it is compiled.
//
// Bits are only ever set, so a plain load shows a bit that was set before, or not yet: a wrong "not yet" costs an atomic
// operation and nothing else. Each missing bit is set by exactly one thread, which learns that from the atomic operation.

/** Sets one bit in a word that was loaded before. Returns the word as it was right before that. */
@inline
export function setBit(word: usize, loaded: u32, bit: u32): u32 {
  return loaded & bit ? loaded : atomic.or<u32>(word, bit);
}

/** Sets those bits of a 64-bit word that a load has missed. Returns those of them that this thread has set. */
@inline
function setMissing(word: usize, missing: u64): u64 {
  return missing ? missing & ~atomic.or<u64>(word, missing) : 0;
}

/** As `setMissing`, for 128 bits. */
@inline
export function setMissingVector(words: usize, missing: v128): v128 {
  if (!v128.any_true(missing)) return missing;
  const low = setMissing(words, v128.extract_lane<u64>(missing, 0));
  const high = setMissing(words + 8, v128.extract_lane<u64>(missing, 1));
  return v128.replace_lane<u64>(v128.splat<u64>(low), 1, high);
}
