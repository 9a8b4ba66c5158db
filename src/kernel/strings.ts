/** The module from which the kernel imports string functions. */
export const STRINGS = 'wasm:js-string';

/** For runtimes without string functions for WebAssembly. Calling out to these is slow. */
export const stringFunctions = {
  charCodeAt: (text: string, index: number): number => text.charCodeAt(index),
};
