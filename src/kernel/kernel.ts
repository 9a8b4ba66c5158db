import type { KernelExports } from './generated/kernel/exports.ts';
import { type Memory, Scratch } from './scratch.ts';

export type { KernelExports };

/** A memory and the kernel functions over it. `Linked` is the type of a linked module's functions. */
export interface Bare<Linked = unknown> {
  readonly kernel: KernelExports & Linked;
  readonly memory: Memory;
  /**
   * The kernel itself reads strings of up to this many UTF-16 units, which is faster than to write them to memory. 0 if
   * it never is: then the kernel gets only the empty string, of which it reads nothing.
   */
  readonly readableUnits: number;
  /** Missing if it is always faster to encode strings. */
  readonly hashStrings?: StringHash | undefined;
}

/**
 * Hashes a run of strings into the scratch: those from `from` on, before `to`, up to the first key that is not a string
 * or does not fit the scratch. Returns their number: 0 if the first key is no string, or one that is faster to encode.
 */
export type StringHash = (keys: readonly unknown[], from: number, to: number, scratch: Scratch, seed: number) => number;

/** A kernel, its memory and its scratch area. */
export interface Instance<Linked = unknown> extends Bare<Linked> {
  readonly scratch: Scratch;
}

/**
 * Adds a scratch area to a kernel. Written as a literal because a spread, `{ ...bare, scratch }`, may have a new
 * hidden class each time in Node 20, and V8 then discards the compiled code that reads it.
 */
export function instanceOf<Linked>(
  { kernel, memory, readableUnits, hashStrings }: Bare<Linked>,
  scratchAt: number,
): Instance<Linked> {
  return { kernel, memory, readableUnits, hashStrings, scratch: new Scratch(memory, scratchAt) };
}
