import type { Key } from '../keys/key.ts';
import { identityOf } from './identity.ts';

/** A load of a key's value that runs, and those who wait for it. */
export class Flight<V> {
  readonly #controller = new AbortController();
  readonly result: Promise<V>;
  /** Called with the load, which may ask for the key itself. */
  begin!: (loading: Promise<V>) => void;
  /** The number of callers that wait. One without a signal waits to the end. */
  waiting = 0;
  /** Whether the key was added or removed after the load began, so that its result may be out of date. */
  isStale = false;

  constructor() {
    this.result = new Promise((resolve) => {
      this.begin = resolve;
    });
  }

  /** Aborted once nobody waits for the value. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }
}

/** Settles as a promise does, or rejects with a signal's reason if that is aborted first, after calling `abandon`. */
function unlessAborted<V>(promise: Promise<V>, signal: AbortSignal, abandon: () => void): Promise<V> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      abandon();
      reject(signal.reason);
    };
    const settle = (): void => signal.removeEventListener('abort', abort);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(settle);
  });
}

/** Lets calls for the same key share one load. Nothing is remembered after a load has ended. */
export class Flights<V> {
  readonly #flights = new Map<string, Flight<V>>();

  /**
   * Joins the load of a key that runs, or starts one.
   *
   * @param signal lets this caller stop waiting; the load is aborted when the last caller does
   */
  get(key: Key, start: (flight: Flight<V>) => Promise<V>, signal: AbortSignal | undefined): Promise<V> {
    const id = identityOf(key);
    const flight = this.#flights.get(id) ?? this.#start(id, start);
    flight.waiting++;
    if (signal === undefined) return flight.result;
    return unlessAborted(flight.result, signal, () => {
      flight.waiting--;
      if (flight.waiting > 0) return;
      this.#drop(id, flight);
      flight.abort(signal.reason);
    });
  }

  /** Lets later calls for a key that has changed start a load of their own. */
  renew(key: Key): void {
    const id = identityOf(key);
    const flight = this.#flights.get(id);
    if (flight === undefined) return;
    flight.isStale = true;
    this.#drop(id, flight);
  }

  #start(id: string, start: (flight: Flight<V>) => Promise<V>): Flight<V> {
    const flight = new Flight<V>();
    // First, because `start` may change the key, which makes the flight stale, or ask for it.
    this.#flights.set(id, flight);
    flight.begin(start(flight));
    const drop = (): void => this.#drop(id, flight);
    flight.result.then(drop, drop);
    return flight;
  }

  /** Another load of the same key may run by now. */
  #drop(id: string, flight: Flight<V>): void {
    if (this.#flights.get(id) === flight) this.#flights.delete(id);
  }
}
