import type { Bare, KernelExports } from './kernel.ts';

/** Adds to a kernel the functions of a module that was instantiated over its memory. Their names must be new. */
export function linked<Linked extends object>(
  { kernel, memory, readableUnits, hashStrings }: Bare,
  exports: Linked,
): Bare<Linked> {
  // Not a spread of two objects, which may have a new hidden class each time: see `instanceOf`.
  const functions = Object.fromEntries([...Object.entries(kernel), ...Object.entries(exports)]);
  return { kernel: functions as object as KernelExports & Linked, memory, readableUnits, hashStrings };
}
