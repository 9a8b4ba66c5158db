// The layout of a memory: WORK, the static data of linked modules, the static data of the kernel, the heap. The base
// addresses are in tools/modules.ts.
//
// Small filters that share an instance are allocated on the heap by TLSF, AssemblyScript's allocator. A filter with
// its own instance does not use it: its memory is laid out from `heap_base` on.

/**
 * Temporary memory for functions while they run: the first 16 KiB, which no module's static data may use. Static data
 * would do as well, but would add 16 KiB of zeros to the module.
 */
export const WORK: usize = 0;
/** The hash and the flag of a single key, in WORK. */
export const ONE_HASH: usize = WORK + 16320;
export const ONE_FLAG: usize = ONE_HASH + 16;
/** The secret under which keys are hashed, if there is one: 16 bytes at the end of WORK, which nothing else uses. */
export const SECRET: usize = WORK + 16368;

/** In a memory that threads share, each has a work area of its own, and an instance of the kernel that knows it. */
let ownWork: usize = 0;

/** The work area: WORK, or in shared memory that of the thread. */
@inline
export function workArea(): usize {
  return ASC_FEATURE_THREADS ? ownWork : WORK;
}

/** Gives an instance over shared memory its work area. */
export function use_work(at: usize): void {
  ownWork = at;
}

/** The address of the first byte after the static data. */
export function heap_base(): usize {
  return __heap_base;
}

/** Returns a pointer to `length` bytes, aligned to 16, not zeroed. Traps if the memory cannot grow. */
export function allocate(length: usize): usize {
  return heap.alloc(length);
}

/** Frees a block that `allocate` returned. */
export function release(pointer: usize): void {
  heap.free(pointer);
}
