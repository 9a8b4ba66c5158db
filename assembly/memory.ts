// How a memory is laid out: WORK, the static data of linked modules, the static data of the kernel, the heap. The bases are
// in tools/modules.ts.
//
// The heap is AssemblyScript's own allocator, TLSF, for small filters that share an instance. A filter with an instance to
// itself never calls it: its memory is laid out from `heap_base` on.

/**
 * Where functions keep what they need while they run: the first 16 KiB, which no module's static data may use. Static data
 * would do as well, but would travel with the module as so many zeros.
 */
export const WORK: usize = 0;
/** In WORK, the hash and the flag of a single key. */
export const ONE_HASH: usize = WORK + 16320;
export const ONE_FLAG: usize = ONE_HASH + 16;

/** The first byte behind the static data. */
export function heap_base(): usize {
  return __heap_base;
}

/** A pointer to `length` bytes, aligned to 16, not zeroed. Traps where the memory cannot grow. */
export function allocate(length: usize): usize {
  return heap.alloc(length);
}

/** Gives back what `allocate` gave. */
export function release(pointer: usize): void {
  heap.free(pointer);
}
