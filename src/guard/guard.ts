import { requireOptions } from '../checks/options.ts';
import { mustBe, requireFunction, requireSignal } from '../checks/validate.ts';
import { isBytes, type Key, requireKey } from '../keys/key.ts';
import { type Flight, Flights, OngoingChanges } from './in-flight.ts';
import { type MeasuredRate, measuredRate } from './rate.ts';

/**
 * What a guard needs of a filter: that it never says false for a key that was added and not removed. So filters that
 * forget keys, such as a `RotatingBloomFilter`, do not fit, nor do a `difference` of two filters, which misses keys, or
 * filters in Redis, which answer with promises.
 */
export interface GuardFilter {
  /** Whether a key may be stored. */
  has(key: Key): boolean;
  /** Adds a key. Without it, the guard's `add` throws. */
  add?(key: Key): unknown;
  /** Removes a key. Without it, the guard's `remove` changes nothing in the filter. */
  remove?(key: Key): unknown;
  /** Remembers that a key which looks present is absent, as `TombstoneFilter` does. */
  exclude?(key: Key): unknown;
  /** The promised share of absent keys that look present, 0 … 1. */
  readonly errorRate?: number;
}

/** The options of one `get`. */
export interface GetOptions {
  /** Stops waiting, with the signal's reason. The load is aborted when nobody waits for it any more. */
  signal?: AbortSignal | undefined;
}

/** What `load` gets besides the key. */
export interface LoadOptions {
  /** Aborted once nobody waits for the value. */
  readonly signal: AbortSignal;
}

/** Loads the value of a key from the store. It may return the value or a promise. */
export type Load<K extends Key, V> = (key: K, options: LoadOptions) => V | Promise<V>;

/** The options of a guard. */
export interface GuardOptions<V, F extends GuardFilter> {
  /** Whether a loaded value means that the key is not stored; by default, if it is `undefined` or `null`. */
  isAbsent?: ((value: V) => boolean) | undefined;
  /** Makes a filter of all stored keys, for the guard's `rebuild`. It may take any time. */
  rebuild?: (() => F | Promise<F>) | undefined;
  /**
   * Called once per filter if it errs more than twice as often as its `errorRate`: after ten errors or more, when the
   * lower end of the interval is above that. Then it is overfull, or somebody asks for chosen keys.
   */
  onRate?: ((measured: MeasuredRate) => void) | undefined;
}

/** What a guard has counted since it was made. `asked` is the sum of `rejected`, `shared` and `loaded`. */
export interface GuardStats {
  /** Calls of `get`, but for those with a wrong key or a signal that was aborted before. */
  readonly asked: number;
  /** Keys that the filter ruled out, without a load. */
  readonly rejected: number;
  /** Calls that joined a load of the same key. */
  readonly shared: number;
  /** Calls of `load`. */
  readonly loaded: number;
  /** Loads that found a value. */
  readonly truePositives: number;
  /** Loads in vain: the filter let the key through, and it is not stored. */
  readonly falsePositives: number;
  /** Loads that failed or were aborted. */
  readonly failed: number;
}

const OPTIONS = ['isAbsent', 'rebuild', 'onRate'] as const;

type Change = readonly ['add' | 'remove', Key];

/** The least number of errors after which a rate is reported. The intervals of fewer are wide, and often wrong. */
const REPORTED_ERRORS = 10;

function requireFilter(name: string, filter: GuardFilter): void {
  if (typeof filter?.has !== 'function') throw new TypeError(mustBe(name, 'a filter', filter));
  if (forgets(filter)) throw new TypeError(mustBe(name, 'a filter that forgets no keys', filter));
}

/** Whether a filter forgets keys, or is made around a filter or a view of filters that forget keys. */
function forgets(filter: unknown): boolean {
  if (typeof (filter as Partial<GuardFilter> | null | undefined)?.has !== 'function') return false;
  // A filter of the user's own may have no constructor.
  const { traits } = ((filter as object).constructor ?? {}) as { traits?: { readonly forgets: boolean } };
  const { base, a, b } = filter as { base?: unknown; a?: unknown; b?: unknown };
  return traits?.forgets === true || [base, a, b].some(forgets);
}

function signalIn(options: GetOptions): AbortSignal | undefined {
  const { signal }: GetOptions = requireOptions(options, '{ signal: AbortSignal.timeout(1000) }', ['signal']);
  return requireSignal('options.signal', signal);
}

/** Copies a byte key, because its owner may change it. */
function copyOf<K extends Key>(key: K): K {
  return (isBytes(key) ? Uint8Array.from(key) : key) as K;
}

/** Calls a function that may return a promise or throw. */
async function run<T>(call: () => T | Promise<T>): Promise<T> {
  return call();
}

/** A filter in front of a slow store, made by `guard`. */
export class Guard<K extends Key, V, F extends GuardFilter> {
  readonly #load: Load<K, V>;
  readonly #isAbsent: (value: V) => boolean;
  readonly #options: GuardOptions<V, F>;
  readonly #flights = new Flights<V | undefined>();
  readonly #ongoing = new OngoingChanges();
  readonly #stats = { asked: 0, rejected: 0, loaded: 0, truePositives: 0, falsePositives: 0, failed: 0 };
  #filter: F;
  /** The counts of the current filter. */
  #absent = { rejected: 0, falsePositives: 0, isReported: false };
  /** Changes since the rebuild began that runs now. */
  #changes: Change[] | undefined;
  #rebuilding: Promise<F> | undefined;

  /** @internal */
  constructor(filter: F, load: Load<K, V>, options: GuardOptions<V, F>) {
    requireFilter('filter', filter);
    requireFunction('load', load);
    requireOptions(options, '{ rebuild: readAllKeys }', OPTIONS);
    for (const name of OPTIONS) if (options[name] !== undefined) requireFunction(`options.${name}`, options[name]);
    this.#filter = filter;
    this.#load = load;
    this.#isAbsent = options.isAbsent ?? ((value) => value === undefined || value === null);
    this.#options = options;
  }

  /** The filter that answers now. Add and remove keys through the guard, so that no change is lost. */
  get filter(): F {
    return this.#filter;
  }

  /** What has been counted so far; a copy. */
  get stats(): GuardStats {
    const { asked, rejected, loaded, ...found } = this.#stats;
    return { asked, rejected, shared: asked - rejected - loaded, loaded, ...found };
  }

  /**
   * How often the current filter lets absent keys through, in this traffic, since it was put in place. A false positive
   * that the filter excludes after it was found counts once.
   */
  get measuredRate(): MeasuredRate {
    const { rejected, falsePositives } = this.#absent;
    return measuredRate(falsePositives, falsePositives + rejected);
  }

  /**
   * Returns the stored value of a key. If the filter says that the key is absent, the answer is `undefined` at once.
   * Else the value is loaded; calls for the same key that come meanwhile share the load, and its error.
   *
   * @throws what `load` throws, or the signal's reason: the promise rejects. TypeError | RangeError if `key` is not a key or
   *   an option is wrong, and whatever else the filter throws; then nothing is loaded
   */
  async get(key: K, options?: GetOptions): Promise<V | undefined> {
    const signal = options === undefined ? undefined : signalIn(options);
    signal?.throwIfAborted();
    requireKey(key);
    const mayBeStored = this.#filter.has(key);
    if (typeof mayBeStored !== 'boolean') throw new TypeError(mustBe('filter.has()', 'true or false', mayBeStored));
    this.#stats.asked++;
    if (!mayBeStored) {
      this.#stats.rejected++;
      this.#absent.rejected++;
      return undefined;
    }
    return this.#flights.get(key, (flight) => this.#fly(copyOf(key), flight), signal);
  }

  /**
   * Adds a key to the filter, **before** the store commits it: a key that is stored and not in the filter is never
   * found, and one that is in the filter and not stored costs a load.
   *
   * Give the insertion as a function where you can: then a rebuild that begins before it ends knows of the key, and a
   * load that does not see the key yet excludes nothing. Without it, start no rebuild until the store has committed the
   * key.
   *
   * @param insert commits the key; called after it was added
   * @returns what `insert` returns
   * @throws TypeError | RangeError if `key` is not a key, or if the filter takes no keys; FilterFullError if it is
   *   full; then `insert` is not called. What `insert` throws: then the key stays in the filter, which is harmless
   */
  add(key: K): void;
  add<T>(key: K, insert: () => T | Promise<T>): Promise<T>;
  add<T>(key: K, insert?: () => T | Promise<T>): Promise<T> | undefined {
    requireKey(key);
    if (insert !== undefined) requireFunction('insert', insert);
    if (this.#filter.add === undefined) throw new TypeError('filter must have add() to take keys, got one without');
    this.#filter.add(key);
    this.#changed('add', key);
    if (insert === undefined) return undefined;
    const copy = copyOf(key);
    const { end } = this.#ongoing.begin(copy, true);
    return run(insert).finally(() => {
      end();
      // A load that began meanwhile may not have seen the key.
      this.#flights.renew(copy);
    });
  }

  /**
   * Removes a key from the filter, if the filter can remove keys. Without this call the answers stay right, and a
   * lookup of the key costs a load.
   *
   * Give the deletion as a function: the key is removed from the filter **after** the store has deleted it, unless it
   * was added again meanwhile. If a rebuild ended meanwhile, it is only removed from a filter with `exclude`. Without
   * the function, call this right after the deletion, and once for each time the key was added.
   *
   * @param erase deletes the key from the store
   * @returns what `erase` returns
   * @throws TypeError | RangeError if `key` is not a key; what `erase` throws: then nothing is removed
   */
  remove(key: K): void;
  remove<T>(key: K, erase: () => T | Promise<T>): Promise<T>;
  remove<T>(key: K, erase?: () => T | Promise<T>): Promise<T> | undefined {
    requireKey(key);
    if (erase === undefined) {
      this.#remove(key, this.#filter);
      return undefined;
    }
    requireFunction('erase', erase);
    return this.#erase(key, erase);
  }

  async #erase<T>(key: K, erase: () => T | Promise<T>): Promise<T> {
    const copy = copyOf(key);
    const filter = this.#filter;
    const { change, end } = this.#ongoing.begin(copy, false);
    try {
      const result = await run(erase);
      if (!change.isOutdated) this.#remove(copy, filter);
      return result;
    } finally {
      end();
    }
  }

  /** @param known the filter that is known to have the key */
  #remove(key: K, known: F): void {
    // Removing a key that a filter never got could remove another one. Excluding it cannot.
    if (this.#filter === known) this.#filter.remove?.(key);
    else this.#filter.exclude?.(key);
    this.#changed('remove', key);
  }

  /** Lets everything that runs know of a change. */
  #changed(change: 'add' | 'remove', key: K): void {
    this.#ongoing.outdate(key);
    this.#flights.renew(key);
    this.#changes?.push([change, copyOf(key)]);
  }

  /**
   * Puts another filter in place between two calls of `get`, and returns the old one. Nothing is added to the new one:
   * `rebuild` does that for keys that are added while it is made.
   *
   * @throws TypeError unless `next` is a filter; then nothing has changed
   */
  swap(next: F): F {
    requireFilter('next', next);
    const old = this.#filter;
    this.#filter = next;
    this.#absent = { rejected: 0, falsePositives: 0, isReported: false };
    return old;
  }

  /**
   * Makes a new filter with the option `rebuild`, and puts it in place. Requests are answered by the old filter
   * meanwhile. Keys that are added while it runs, or whose insertion runs when it begins, are added to the new filter
   * too. Keys that are removed meanwhile are excluded from a filter that has `exclude`; other filters may still say
   * that they are present.
   *
   * If it fails, the old filter stays, with all keys. A call while another one runs waits for that one.
   *
   * @returns the old filter, which is no longer used: dispose of it
   * @throws what `options.rebuild` throws, or the new filter, for example because it is full: the promise rejects.
   *   TypeError if the option is missing
   */
  rebuild(): Promise<F> {
    this.#rebuilding ??= this.#rebuild().finally(() => {
      this.#rebuilding = undefined;
      this.#changes = undefined;
    });
    return this.#rebuilding;
  }

  async #rebuild(): Promise<F> {
    const { rebuild } = this.#options;
    if (rebuild === undefined) throw new TypeError(mustBe('options.rebuild', 'a function', rebuild));
    this.#changes = this.#ongoing.inserted().map((key): Change => ['add', key]);
    const next = await rebuild();
    requireFilter('the filter of options.rebuild()', next);
    if (next === this.#filter) throw new TypeError('the filter of options.rebuild() must be new, got the current one');
    for (const [change, key] of this.#changes) {
      // The new filter may never have got the key: see `#remove`.
      if (change === 'remove') next.exclude?.(key);
      else if (next.add) next.add(key);
      else throw new TypeError('the filter of options.rebuild() must have add(), because keys were added meanwhile');
    }
    return this.swap(next);
  }

  /** Loads a value, and counts what it says about the filter. */
  async #fly(key: K, flight: Flight<V | undefined>): Promise<V | undefined> {
    const filter = this.#filter;
    this.#stats.loaded++;
    let value: V;
    let isAbsent: boolean;
    try {
      value = await this.#load(key, { signal: flight.signal });
      // A load that ends early because it was aborted says nothing about the key.
      flight.signal.throwIfAborted();
      isAbsent = this.#isAbsent(value);
    } catch (error) {
      this.#stats.failed++;
      throw error;
    }
    if (!isAbsent) {
      this.#stats.truePositives++;
      return value;
    }
    this.#stats.falsePositives++;
    if (filter !== this.#filter) return value;
    this.#absent.falsePositives++;
    // A key that is being added, or was added meanwhile, may be stored by now.
    if (!flight.isStale && !this.#ongoing.isInserted(key)) filter.exclude?.(key);
    this.#report();
    return value;
  }

  #report(): void {
    const { errorRate = Infinity } = this.#filter;
    const { onRate } = this.#options;
    if (onRate === undefined || this.#absent.isReported || this.#absent.falsePositives < REPORTED_ERRORS) return;
    const measured = this.measuredRate;
    if (measured.interval[0] <= 2 * errorRate) return;
    this.#absent.isReported = true;
    // If the callback throws, the request must not fail.
    queueMicrotask(() => onRate(measured));
  }
}
