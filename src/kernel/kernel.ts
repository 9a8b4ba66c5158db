import type { KernelExports } from './generated/kernel/exports.ts';
import { type Memory, Scratch } from './scratch.ts';

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

/**
 * Adds a scratch area to a kernel. Written as a literal because a spread, `{ ...bare, scratch }`, may have a new
 * hidden class each time in Node 20, and V8 then discards the compiled code that reads it.
 */
export function instanceOf<Linked>({ kernel, memory, readsText }: Bare<Linked>, scratchAt: number): Instance<Linked> {
  return { kernel, memory, readsText, scratch: new Scratch(memory, scratchAt) };
}
