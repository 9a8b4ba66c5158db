// What happens when a signal is to end the program.

import { fail, tell } from '../errors.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What to do before a signal ends the program. */
const cleanups = new Set<() => void>();
/** Gets the first signal, which then does not end the program. */
let taker: ((signal: NodeJS.Signals) => void) | undefined;

/** Without listeners, the system ends the program. */
function listen(): void {
  for (const signal of SIGNALS) {
    process.off(signal, onSignal);
    if (taker || cleanups.size > 0) process.on(signal, onSignal);
  }
}

function onSignal(signal: NodeJS.Signals): void {
  const take = taker;
  taker = undefined;
  if (!take) for (const cleanUp of cleanups) cleanUp();
  if (!take) cleanups.clear();
  listen();
  if (take) take(signal);
  else process.kill(process.pid, signal);
}

/** Has a function run if a signal ends the program. Returns another that takes this back. */
export function beforeEnd(cleanUp: () => void): () => void {
  cleanups.add(cleanUp);
  listen();
  return () => {
    cleanups.delete(cleanUp);
    listen();
  };
}

/** Puts off the first signal, so that work can be brought to an end. The second one ends the program at once. */
export class Interruption {
  #signal: NodeJS.Signals | undefined;
  #wake = (): void => {};
  #refusal: Error | undefined;

  constructor() {
    taker = (signal) => {
      this.#signal = signal;
      this.#wake();
      tell(() => `${signal}: ending; another one ends at once`);
    };
    listen();
  }

  /**
   * Yields values until the signal, even if the next one never comes.
   *
   * @param refusal is thrown at the signal, instead of ending as if all had been yielded
   */
  async *until<T>(values: AsyncGenerator<T>, refusal?: Error): AsyncGenerator<T> {
    this.#refusal = refusal;
    try {
      while (this.#signal === undefined) {
        // Not `Promise.race` with one promise, which would remember each call.
        const next = await new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
          this.#wake = () => resolve(undefined);
          values.next().then(resolve, reject);
        });
        if (next?.done) return;
        if (next) yield next.value;
      }
    } finally {
      // After a signal, it may still be waiting for its next value.
      if (this.#signal === undefined) await values.return(undefined);
    }
    if (refusal) throw refusal;
  }

  /**
   * Waits for the end of the work, and then ends the program by the signal that was put off, if there was one. Reports
   * an error of the work before, unless it is the refusal of `until`.
   */
  async endAfter(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (this.#signal === undefined) throw error;
      if (error !== this.#refusal) fail(error);
    } finally {
      taker = undefined;
      listen();
      if (this.#signal) process.kill(process.pid, this.#signal);
    }
  }
}
