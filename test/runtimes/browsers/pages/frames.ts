// How long the page shows nothing new.

/** Watches the page's frames until `stop`, which returns the longest time between two of them, in milliseconds. */
export function watchFrames(): { stop(): number } {
  let last = performance.now();
  let longest = 0;
  let running = true;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  return {
    stop() {
      running = false;
      look();
      return longest;
    },
  };
}

/** The longest time between two frames while the page does nothing for a second. */
export async function idleGap(): Promise<number> {
  const frames = watchFrames();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return frames.stop();
}
