import { inBrowser } from './browsers.ts';

/** How many bytes of memories are made in one turn of the event loop before garbage is collected. */
const LIMIT: number = 3 * 2 ** 25;

let made = 0;

/** WebKit has no buffer larger than this. */
const LARGEST_IN_WEBKIT: number = 2 ** 32;

function claim(bytes: number): void {
  try {
    // Uses the result, or a bundler could leave it out.
    made = new ArrayBuffer(bytes).byteLength % 2;
  } catch {
    made = 0;
    if (bytes > LARGEST_IN_WEBKIT) claim(LARGEST_IN_WEBKIT);
  }
}

/**
 * Counts the bytes of memories that are made, where the runtime does not. In a loop that makes filters and drops them,
 * Chromium would let gigabytes of garbage pile up, Firefox and WebKit hundreds of megabytes. What they do count is the
 * size of an ArrayBuffer, even of one that is never touched and takes no memory: a large one makes them collect garbage,
 * in some 10 ms.
 */
export function countMemory(bytes: number): void {
  if (!inBrowser) return;
  if (made === 0) setTimeout(() => (made = 0));
  made += bytes;
  if (made >= LIMIT) claim(2 ** 33);
}
