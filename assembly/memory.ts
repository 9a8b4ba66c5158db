// The layout of a memory: WORK, the static data of linked modules, the static data of the kernel, and from `heap_base` on
// the scratch and the bodies of filters. The base addresses are in tools/modules.ts. What is free for bodies is known to
// src/kernel/free-list.ts.

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
