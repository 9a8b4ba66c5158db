/** Yield to the event loop after this many milliseconds. A step in progress is finished first. */
const STEP_MS = 10;

/** Lets the event loop run. Uses a message because browsers delay timers: by 4 ms, and in hidden pages by a second. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    // Cloudflare Workers have none, and do not delay timers.
    if (!globalThis.MessageChannel) {
      setTimeout(resolve);
      return;
    }
    // A new channel each time: Node handles many messages of one channel in one go.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Tells when to let other code run. Streams alone never do: they go from chunk to chunk in microtasks. */
export class Pacer {
  #until: number = performance.now() + STEP_MS;

  get isDue(): boolean {
    return performance.now() >= this.#until;
  }

  async pause(): Promise<void> {
    await pause();
    this.#until = performance.now() + STEP_MS;
  }
}
