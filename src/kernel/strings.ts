/** The name of the module from which the kernel imports string functions. */
export const STRINGS = 'wasm:js-string';

/** The string functions for runtimes that do not build them into WebAssembly. Calls to these are slow. */
export const stringFunctions = {
  charCodeAt: (text: string, index: number): number => text.charCodeAt(index),
};

/** Writes strings as UTF-8. */
export const encoder: TextEncoder = new TextEncoder();
