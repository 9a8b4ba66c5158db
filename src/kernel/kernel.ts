import type { KernelExports } from './generated/kernel/exports.ts';
import type { Memory, Scratch } from './scratch.ts';

export type { KernelExports };

/** A memory and the kernel functions over it. `Linked` is the type of a linked module's functions. */
export interface Bare<Linked = unknown> {
  readonly kernel: KernelExports & Linked;
  readonly memory: Memory;
  /** Whether the kernel can read a string itself faster than JavaScript can write the string to memory. */
  readonly readsText: boolean;
}

/** A kernel, its memory and its scratch area. */
export interface Instance<Linked = unknown> extends Bare<Linked> {
  readonly scratch: Scratch;
}
