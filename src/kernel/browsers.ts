// What tells browsers apart whose WebAssembly needs care. In other runtimes all of these are false.

/** Chromium, on secure pages and in their Workers: only there does `navigator` have `userAgentData`. */
export function isChromium(): boolean {
  return 'userAgentData' in (globalThis.navigator ?? {});
}

/** Firefox: only there do errors have a `lineNumber`. */
export function isFirefox(): boolean {
  return 'lineNumber' in new Error();
}
