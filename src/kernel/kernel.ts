import type { KernelExports } from './generated/kernel/exports.ts';
import type { Memory, Scratch } from './scratch.ts';

export type { KernelExports };

/** A memory and the kernel functions over it. `Linked` are the functions of a module linked to the kernel. */
export interface Bare<Linked = unknown> {
  readonly kernel: KernelExports & Linked;
  readonly memory: Memory;
  /** Whether the kernel reads a string faster than the string can be written into memory. */
  readonly readsText: boolean;
}

/** A kernel, its memory and its scratch area. */
export interface Instance<Linked = unknown> extends Bare<Linked> {
  readonly scratch: Scratch;
}
