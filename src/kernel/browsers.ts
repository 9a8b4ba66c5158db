// What tells runtimes apart that need care.

/** Whether this is a browser, a page or a Worker: their user agents all begin alike. */
export const inBrowser: boolean = /^Mozilla/.test(globalThis.navigator?.userAgent ?? '');

/** Firefox: only there do errors have a `lineNumber`. */
export function isFirefox(): boolean {
  return 'lineNumber' in new Error();
}
