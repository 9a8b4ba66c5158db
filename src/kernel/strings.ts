/** The module from which the kernel imports the functions of strings. */
export const STRINGS = 'wasm:js-string';

/** Functions to import where the runtime has none of its own for WebAssembly, which calls these but slowly. */
export const stringFunctions = {
  charCodeAt: (text: string, index: number): number => text.charCodeAt(index),
};
