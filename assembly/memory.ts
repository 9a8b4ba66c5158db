// Memory for small filters that share an instance: AssemblyScript's own allocator, TLSF.
// A filter with an instance to itself never calls it, and lays its memory out from `heap_base` on.

/**
 * Where functions keep what they need while they run: the first 16 KiB, which `memoryBase` in asconfig.json leaves free.
 * Static data would do, but would travel with the module as so many zeros.
 */
export const WORK: usize = 0;
/** In it, the hash and the flag of a key that comes alone. */
export const ONE_HASH: usize = WORK + 16320;
export const ONE_FLAG: usize = ONE_HASH + 16;

/** The first byte that the module itself does not use. */
export function heap_base(): usize {
  return __heap_base;
}

/** A pointer to `length` bytes, aligned to 16, not zeroed. Traps where memory cannot grow. */
export function allocate(length: usize): usize {
  return heap.alloc(length);
}

/** Gives back what `allocate` gave. */
export function release(pointer: usize): void {
  heap.free(pointer);
}
