import type { KernelExports } from './generated/kernel/exports.ts';
import { type Memory, Scratch } from './scratch.ts';

export type { KernelExports };

/** A memory and the functions that work on it: those of the kernel, and of a linked module if the engine has one. */
export interface Bare {
  readonly kernel: KernelExports;
  readonly memory: Memory;
  /**
   * The kernel itself reads strings of up to this many UTF-16 units, which is faster than writing them to memory. 0
   * turns this off.
   */
  readonly readableUnits: number;
  /** Undefined if encoding strings is always faster. */
  readonly hashStrings?: StringHash | undefined;
}

/**
 * Hashes a run of strings into the scratch: from `from` up to `to`, or up to the first key that is not a string or does
 * not fit. Returns their number; 0 if the first key is not a string, or is faster to encode.
 */
export type StringHash = (keys: readonly unknown[], from: number, to: number, scratch: Scratch, seed: number) => number;

/** A kernel, its memory and its scratch area. */
export interface Instance extends Bare {
  readonly scratch: Scratch;
}

/**
 * Adds a scratch area to a kernel. The result is a literal, because a spread `{ ...bare, scratch }` may have a new
 * hidden class each time in Node 20, which makes V8 discard the compiled code that reads it.
 */
export function instanceOf({ kernel, memory, readableUnits, hashStrings }: Bare, scratchAt: number): Instance {
  return { kernel, memory, readableUnits, hashStrings, scratch: new Scratch(memory, scratchAt) };
}

/** Adds the functions of a module over the same memory to those of the kernel. They replace those of the same name. */
export function linked({ kernel, memory, readableUnits, hashStrings }: Bare, exports: object): Bare {
  // Not a spread, which may have a new hidden class each time: see `instanceOf`.
  const functions = Object.fromEntries([...Object.entries(kernel), ...Object.entries(exports)]);
  return { kernel: functions as object as KernelExports, memory, readableUnits, hashStrings };
}
