// What `runtime.ts` exports, for React Native, whose bundler takes this file instead: see package.json. Its engines have
// no WebAssembly.

export function isFirefox(): boolean {
  return false;
}

export const STRINGS = 'wasm:js-string';

export const stringFunctions = {
  charCodeAt: (text: string, index: number): number => text.charCodeAt(index),
};

export function unitByUnit(elsewhere: number): number {
  return elsewhere;
}

/** Its memories are ArrayBuffers, which the engines count themselves. */
export function countMemory(): void {}
