import { inBrowser } from './browsers.ts';

const MIB: number = 2 ** 20;

/** How many bytes of memories are made in one turn of the event loop before garbage is collected. */
let limit: number = 96 * MIB;
let made = 0;

/**
 * Counts the bytes of memories before they are made, where the runtime does not. In a loop that makes filters and drops
 * them, Chromium would let gigabytes of garbage pile up, and Firefox hundreds of megabytes. What they do count is the
 * size of an ArrayBuffer, even of one that is never touched and takes no memory: a large one makes them collect
 * garbage. Nothing tells whether there is any, and in a page with millions of objects it takes a second to look. So the
 * longer it took, the more may be made before the next time. WebKit counts by itself, and refuses so large a buffer at
 * once.
 */
export function countMemory(bytes: number): void {
  if (!inBrowser) return;
  if (made >= limit) {
    const start = performance.now();
    try {
      // Uses the result, or a bundler could leave it out.
      made = new ArrayBuffer(2 ** 33).byteLength % 2;
    } catch {
      made = 0;
    }
    limit = (96 + (performance.now() - start) / 4) * MIB;
  }
  if (made === 0) setTimeout(() => (made = 0));
  made += bytes;
}
