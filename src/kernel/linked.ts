import type { Bare, KernelExports } from './kernel.ts';

/**
 * A kernel with the functions of a module that was instantiated over its memory. They stand beside the kernel's own, or
 * replace those of the same name.
 */
export function linked<Linked extends object>({ kernel, memory, readsText }: Bare, exports: Linked): Bare<Linked> {
  // Not a spread of two objects, which may have another hidden class each time: see `instanceOf`.
  const functions = Object.fromEntries([...Object.entries(kernel), ...Object.entries(exports)]);
  return { kernel: functions as object as KernelExports & Linked, memory, readsText };
}
