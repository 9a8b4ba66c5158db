import { isChromium, isFirefox } from './browsers.ts';

/** How many bytes of memories are made in one turn of the event loop before garbage is collected. */
const LIMIT: number = 3 * 2 ** 25;

let made = 0;

/**
 * Counts the bytes of memories that are made, where the runtime does not. In a loop that makes filters and drops them,
 * Chromium would let gigabytes of garbage pile up, and Firefox hundreds of megabytes. What they do count is the size of
 * an ArrayBuffer, even of one that is never touched and takes no memory: a large one makes them collect garbage, in
 * some 10 ms.
 */
export function countMemory(bytes: number): void {
  if (!isChromium() && !isFirefox()) return;
  if (made === 0) setTimeout(() => (made = 0));
  made += bytes;
  if (made < LIMIT) return;
  try {
    // Uses the result, or a bundler could leave it out.
    made = new ArrayBuffer(2 ** 33).byteLength % 2;
  } catch {
    // Where so much is refused, garbage has been collected just as well.
    made = 0;
  }
}
