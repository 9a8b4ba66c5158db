/** How many bytes of memories are made in one turn of the event loop before garbage is collected. */
const LIMIT: number = 2 ** 27;

let made = 0;

/**
 * Tells the runtime that a memory of so many bytes has been made, where it does not count them itself. In a loop that
 * makes filters and drops them, Chromium would let gigabytes of garbage pile up. What it does count is the size of an
 * ArrayBuffer, even of one that is never touched and takes no memory: a large one makes it collect garbage, in some
 * 10 ms. Other runtimes have no `userAgentData`, and need no help.
 */
export function countMemory(bytes: number): void {
  if (!('userAgentData' in (globalThis.navigator ?? {}))) return;
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
