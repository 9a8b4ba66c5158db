import { inBrowser } from './browsers.ts';

/** The name of the module from which the kernel imports string functions. */
export const STRINGS = 'wasm:js-string';

/** The string functions for runtimes that do not build them into WebAssembly. Calls to these are slow. */
export const stringFunctions = {
  charCodeAt: (text: string, index: number): number => text.charCodeAt(index),
};

/**
 * Up to how many UTF-16 units it is faster to take a string unit by unit than to pass it to `encodeInto`. In browsers,
 * a call of `encodeInto` takes half a microsecond.
 *
 * @param elsewhere the number for other runtimes
 */
export function unitByUnit(elsewhere: number): number {
  return inBrowser ? 160 : elsewhere;
}

/** Writes strings as UTF-8. */
export const encoder: TextEncoder = new TextEncoder();
