import { isBytes, type Key } from '../keys/key.ts';

/** A load of a key's value that runs, and those who wait for it. */
export class Flight<V> {
  readonly #controller = new AbortController();
  declare result: Promise<V>;
  /** The number of callers that wait. One without a signal waits to the end, and counts as Infinity. */
  waiting = 0;
  /** Whether the key was added or removed after the load began, so that its result may be out of date. */
  isStale = false;

  /** Aborted once nobody waits for the value. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }
}

/** Made when it is needed, because not every engine of React Native has a TextDecoder. */
let utf8: TextDecoder | undefined;

function identityOfBytes(bytes: Uint8Array): string {
  utf8 ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    return `text ${utf8.decode(bytes)}`;
  } catch {
    return `bytes ${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }
}

/**
 * A value by which a Map finds a key: equal keys have the same. A string equals its bytes, and 7 equals 7n: see `Key`.
 */
function identityOf(key: Key): unknown {
  if (isBytes(key)) return identityOfBytes(key);
  if (typeof key !== 'string') return BigInt.asUintN(64, BigInt(key));
  // A lone surrogate is hashed as U+FFFD.
  return `text ${key.replace(/[\ud800-\udfff]/gu, '\ufffd')}`;
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
  readonly #flights = new Map<unknown, Flight<V>>();

  /**
   * Joins the load of a key that runs, or starts one.
   *
   * @param signal lets this caller stop waiting; the load is aborted when the last caller does
   */
  get(key: Key, start: (flight: Flight<V>) => Promise<V>, signal: AbortSignal | undefined): Promise<V> {
    const id = identityOf(key);
    const flight = this.#flights.get(id) ?? this.#start(id, start);
    if (signal === undefined) {
      flight.waiting = Infinity;
      return flight.result;
    }
    flight.waiting++;
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

  #start(id: unknown, start: (flight: Flight<V>) => Promise<V>): Flight<V> {
    const flight = new Flight<V>();
    // First, because `start` may change the key, which makes the flight stale.
    this.#flights.set(id, flight);
    flight.result = start(flight);
    const drop = (): void => this.#drop(id, flight);
    flight.result.then(drop, drop);
    return flight;
  }

  /** Another load of the same key may run by now. */
  #drop(id: unknown, flight: Flight<V>): void {
    if (this.#flights.get(id) === flight) this.#flights.delete(id);
  }
}

/** An insertion into the store, or a deletion from it, that runs. */
interface Change {
  readonly key: Key;
  readonly isInsertion: boolean;
  /** Whether the key was changed again after it began. */
  isOutdated: boolean;
}

/** The changes of a store that run. Until one has ended, the store may have the key or not. */
export class OngoingChanges {
  readonly #byKey = new Map<unknown, Set<Change>>();

  /** Notes that a change begins. `end` of the result must be called when it has ended. */
  begin(key: Key, isInsertion: boolean): { readonly change: Readonly<Change>; end(): void } {
    const id = identityOf(key);
    const change = { key, isInsertion, isOutdated: false };
    const changes = this.#byKey.get(id) ?? new Set();
    this.#byKey.set(id, changes.add(change));
    const end = (): void => {
      changes.delete(change);
      if (changes.size === 0) this.#byKey.delete(id);
    };
    return { change, end };
  }

  /** Notes that a key was changed: what runs for it is outdated. */
  outdate(key: Key): void {
    for (const change of this.#byKey.get(identityOf(key)) ?? []) change.isOutdated = true;
  }

  /** Whether an insertion of this key runs. */
  isInserted(key: Key): boolean {
    return [...(this.#byKey.get(identityOf(key)) ?? [])].some(({ isInsertion }) => isInsertion);
  }

  /** The keys whose insertion runs. */
  inserted(): Key[] {
    const all = [...this.#byKey.values()].flatMap((changes) => [...changes]);
    return all.filter(({ isInsertion }) => isInsertion).map(({ key }) => key);
  }
}
