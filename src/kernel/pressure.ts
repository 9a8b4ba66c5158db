import { inBrowser } from './browsers.ts';

const MIB: number = 2 ** 20;

/** How many bytes of memories are made in one turn of the event loop before garbage is collected. */
let limit: number = 96 * MIB;
let made = 0;

/** Makes the runtime collect garbage. Returns how large a buffer it has made for that. */
function claim(bytes: number): number {
  try {
    return new ArrayBuffer(bytes).byteLength;
  } catch {
    // WebKit has no larger ones.
    return bytes > 2 ** 32 ? claim(2 ** 32) : 0;
  }
}

/**
 * Counts the bytes of memories before they are made, where the runtime does not. In a loop that makes filters and drops
 * them, Chromium would let gigabytes of garbage pile up, Firefox and WebKit hundreds of megabytes. What they do count is
 * the size of an ArrayBuffer, even of one that is never touched and takes no memory: a large one makes them collect
 * garbage. Nothing tells whether there is any, and in a page with millions of objects it takes a second to look. So
 * for each millisecond that it took, 1 MiB more may be made before the next time.
 */
export function countMemory(bytes: number): void {
  if (!inBrowser) return;
  if (made >= limit) {
    const start = performance.now();
    // Uses the result, or a bundler could leave it out.
    made = claim(2 ** 33) % 2;
    limit = (96 + performance.now() - start) * MIB;
  }
  if (made === 0) setTimeout(() => (made = 0));
  made += bytes;
}
