// Differences between runtimes: limits, functions that some lack, and when garbage is collected.

function agentIs(pattern: RegExp): boolean {
  return pattern.test(globalThis.navigator?.userAgent ?? '');
}

/** Whether this is a page or a Worker in a browser: the user agents of all browsers begin with Mozilla. */
const inBrowser: boolean = /* @__PURE__ */ agentIs(/^Mozilla/);

/** Whether `encodeInto` takes as long for text that is not ASCII as for ASCII: in Node from version 25 on. */
export const encodesAllFast: boolean = /* @__PURE__ */ agentIs(/^Node\.js\/(2[5-9]|[3-9])/);

/** Whether this is Firefox, where alone errors have a `lineNumber`. */
export function isFirefox(): boolean {
  return 'lineNumber' in new Error();
}

/** The module name under which the kernel imports string functions. */
export const STRINGS = 'wasm:js-string';

/** The string functions for runtimes without JS string builtins. Calls to these are slow. */
export const stringFunctions = {
  charCodeAt: (text: string, index: number): number => text.charCodeAt(index),
};

/**
 * The most UTF-16 units of a string that is faster to encode unit by unit than with `encodeInto`, which takes half a
 * microsecond per call in browsers.
 *
 * @param elsewhere the number for other runtimes
 */
export function unitByUnit(elsewhere: number): number {
  return inBrowser ? 160 : elsewhere;
}

const MIB: number = 2 ** 20;

/** Garbage is collected after this many bytes of new memories in one turn of the event loop. */
let limit: number = 96 * MIB;
let made = 0;

/**
 * Makes browsers collect garbage memories: call it before making a memory of `bytes`. Chromium and Firefox do not count
 * the size of WebAssembly memories, so a loop that makes filters and drops them would let gigabytes pile up. They do
 * count the size of an ArrayBuffer: allocating a huge one forces a collection, and costs no memory, because it is never
 * touched. A collection can take a second in a page with millions of objects, so the slower the last one was, the later
 * the next one comes. WebKit counts memories itself, and refuses so large a buffer at once.
 */
export function countMemory(bytes: number): void {
  if (!inBrowser) return;
  if (made >= limit) {
    const start = performance.now();
    try {
      // The result is used, so that no bundler drops the allocation.
      made = new ArrayBuffer(2 ** 33).byteLength % 2;
    } catch {
      made = 0;
    }
    limit = (96 + (performance.now() - start) / 4) * MIB;
  }
  if (made === 0) setTimeout(() => (made = 0));
  made += bytes;
}
