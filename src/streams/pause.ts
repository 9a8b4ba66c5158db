/** For how long, in milliseconds, nothing else runs; a step that has begun is finished. */
const STEP_MS = 10;

/** Lets the event loop run. A message, because browsers hold timers back: by 4 ms, and in hidden pages by a second. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    // A channel of its own each time: of one that is used again, Node handles many messages in one go.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Tells when it is time to let others run. Streams alone never do: they go from chunk to chunk in microtasks. */
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
