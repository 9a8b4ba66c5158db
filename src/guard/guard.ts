import { type Key, requireKey } from '../keys/key.ts';
import { FilterFullError } from '../util/checks/errors.ts';
import { requireOptions } from '../util/checks/options.ts';
import { mustBe, requireFunction, requireSignal } from '../util/checks/validate.ts';
import { type Deletion, FilterChanges, type OpenKey, OpenKeys } from './changes.ts';
import { type GuardFilter, requireAnswer, requireDone, requireFilter } from './filter.ts';
import { type Flight, Flights } from './flights.ts';
import { type Growth, GrowthPlan, nextCapacity } from './growth.ts';
import { copyOf, KeySet } from './identity.ts';
import type { GetOptions, GuardOptions, GuardStats, Load } from './options.ts';
import { type MeasuredRate, measuredRate } from './rate.ts';

const OPTIONS = ['isAbsent', 'rebuild', 'grow', 'onGrow', 'onRate'] as const;

/** The least number of errors after which a rate is reported. The intervals of fewer are wide, and often wrong. */
const REPORTED_ERRORS = 10;

function signalIn(options: GetOptions): AbortSignal | undefined {
  const { signal }: GetOptions = requireOptions(options, '{ signal: AbortSignal.timeout(1000) }', ['signal']);
  return requireSignal('options.signal', signal);
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
  readonly #open = new OpenKeys<K>();
  readonly #stats = { asked: 0, rejected: 0, loaded: 0, truePositives: 0, falsePositives: 0, failed: 0 };
  #filter: F;
  /** The counts of the current filter. */
  #absent = { rejected: 0, falsePositives: 0, isReported: false };
  /** Keys for which the filter has no room, until it has grown. */
  readonly #waiting = new KeySet<K>();
  /** Changes since the rebuild began that runs now. */
  #changes: FilterChanges<K> | undefined;
  #rebuilding: Promise<F> | undefined;
  readonly #growth: GrowthPlan | undefined;

  /** @internal */
  constructor(filter: F, load: Load<K, V>, options: GuardOptions<V, F>) {
    requireFunction('load', load);
    requireOptions(options, '{ rebuild: readAllKeys }', OPTIONS);
    for (const name of OPTIONS) if (options[name] !== undefined) requireFunction(`options.${name}`, options[name]);
    requireFilter('filter', filter, options.grow !== undefined);
    if (options.grow !== undefined) this.#growth = new GrowthPlan();
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
   * How often the current filter has let absent keys through in your traffic, since it was put in place. A false
   * positive that the filter excludes once it is found counts once.
   */
  get measuredRate(): MeasuredRate {
    const { rejected, falsePositives } = this.#absent;
    return measuredRate(falsePositives, falsePositives + rejected);
  }

  /**
   * Returns the stored value of a key. If the filter says that the key is absent, returns `undefined` at once.
   * Otherwise the value is loaded, and other calls for the same key meanwhile share the load and its error.
   *
   * @throws what `load` or `isAbsent` throws, or the signal's reason: the promise rejects. TypeError if `isAbsent` returns
   *   something other than true or false; TypeError | RangeError if `key` is not a key or an option is wrong, and whatever
   *   else the filter throws; then nothing is loaded
   */
  async get(key: K, options?: GetOptions): Promise<V | undefined> {
    const signal = options === undefined ? undefined : signalIn(options);
    signal?.throwIfAborted();
    requireKey(key);
    const mayBeStored = this.#mayBeStored(key);
    this.#stats.asked++;
    if (!mayBeStored) {
      this.#stats.rejected++;
      this.#absent.rejected++;
      return undefined;
    }
    return this.#flights.get(key, (flight) => this.#fly(copyOf(key), flight), signal);
  }

  /**
   * Adds a key to the filter. Call it **before** the store commits the key: a stored key that is not in the filter is
   * never found, while a key in the filter that is not stored only costs a load.
   *
   * Pass the insertion as a function if you can. Then no removal and no rebuild that overlaps the insertion makes the
   * key absent, and no load that does not see the row yet excludes the key. Without the function, the store must commit
   * the key before anything else is done with the guard.
   *
   * @param insert commits the key, before its promise is settled; called after the key was added
   * @returns what `insert` returns
   * @throws TypeError | RangeError if `key` is not a key, or if the filter takes no keys; FilterFullError if it is full
   *   and the guard has no option `grow`; then `insert` is not called. What `insert` throws: then the key stays in the
   *   filter, because it may be stored. With `insert`, the promise rejects
   */
  add(key: K): void;
  add<T>(key: K, insert: () => T | Promise<T>): Promise<T>;
  add<T>(key: K, insert?: () => T | Promise<T>): Promise<T> | undefined {
    return insert === undefined ? this.#add(key) : run(() => this.#add(key, insert) as Promise<T>);
  }

  #add<T>(key: K, insert?: () => T | Promise<T>): Promise<T> | undefined {
    requireKey(key);
    if (insert !== undefined) requireFunction('insert', insert);
    const copy = copyOf(key);
    const copies = this.#put(copy);
    const open = insert === undefined ? this.#open.get(copy) : this.#open.open(copy, () => 0);
    open?.inserts(copies, insert !== undefined);
    // First, so that the next filter gets this key too.
    this.#growIfDue();
    this.#changes?.add(copy);
    this.#flights.renew(copy);
    if (insert === undefined || open === undefined) return undefined;
    return run(insert).finally(() => {
      open.insertions--;
      this.#settle(open);
    });
  }

  /**
   * Puts a copy of a key into the filter, or beside it if it has no room and will grow.
   *
   * @returns the number of copies that it made, 0 or 1
   */
  #put(key: K): number {
    const filter = this.#filter;
    if (filter.add === undefined) throw new TypeError('filter must have add() to take keys, got one without');
    try {
      requireDone('filter.add()', filter.add(key));
      return 1;
    } catch (error) {
      if (this.#growth === undefined || !(error instanceof FilterFullError)) throw error;
      return this.#waiting.add(key);
    }
  }

  /**
   * Removes a key from the filter, if the filter can remove keys. Without this call the answers stay right, and a
   * lookup of the key costs a load.
   *
   * Pass the deletion as a function: the key is removed from the filter **after** the store has deleted it. If an
   * insertion of the key overlaps the deletion, one copy stays in the filter, because the key may be stored. If a
   * rebuild ended meanwhile, the key is only removed from a filter with `exclude`. Without the function, call this
   * right after the deletion. Either way, remove only keys that were added: any other key may look the same as a stored
   * key, which is then removed.
   *
   * @param erase deletes the key from the store, before its promise is settled
   * @returns what `erase` returns
   * @throws TypeError | RangeError if `key` is not a key; what `erase` throws: then nothing is removed. With `erase`, the
   *   promise rejects
   */
  remove(key: K): void;
  remove<T>(key: K, erase: () => T | Promise<T>): Promise<T>;
  remove<T>(key: K, erase?: () => T | Promise<T>): Promise<T> | undefined {
    return erase === undefined ? this.#remove(key) : run(() => this.#remove(key, erase) as Promise<T>);
  }

  #remove<T>(key: K, erase?: () => T | Promise<T>): Promise<T> | undefined {
    requireKey(key);
    if (erase !== undefined) requireFunction('erase', erase);
    const copy = copyOf(key);
    const open = this.#open.open(copy, () => (this.#mayBeStored(copy) ? 1 : 0));
    const deletion = open.beginDeletion();
    if (erase !== undefined) return this.#erase(open, deletion, erase);
    open.endDeletion(deletion, true);
    this.#settle(open);
    return undefined;
  }

  async #erase<T>(open: OpenKey<K>, deletion: Deletion, erase: () => T | Promise<T>): Promise<T> {
    let isDeleted = false;
    try {
      const result = await run(erase);
      isDeleted = true;
      return result;
    } finally {
      open.endDeletion(deletion, isDeleted);
      this.#settle(open);
    }
  }

  /** Called when a change has ended: if none of the key runs any more, removes the copies that it does not need. */
  #settle(open: OpenKey<K>): void {
    const { key } = open;
    const filter = this.#filter;
    // A load that began before may not have seen the change.
    this.#flights.renew(key);
    if (open.isRunning) return;
    const surplus = open.keepNeeded();
    // Only a key that may be gone, and that the filter can remove, is worth remembering.
    const canRemove = filter.remove !== undefined || filter.exclude !== undefined;
    if (!open.isDoubtful || open.copies === 0 || !canRemove) this.#open.close(open);
    // A filter that excludes keys has a key or not, however often it was added: removing it once makes it absent.
    if (!open.isGone && filter.exclude !== undefined) return;
    for (let i = 0; i < surplus; i++) {
      if (!this.#waiting.delete(key)) requireDone('filter.remove()', filter.remove?.(key));
    }
    // A filter that holds a key once, as a set does, has lost it with the first copy.
    if (!open.isGone && surplus > 0 && !this.#mayBeStored(key)) this.#put(key);
    if (!open.isGone) return;
    requireDone('filter.exclude()', filter.exclude?.(key));
    this.#changes?.remove(key);
  }

  /**
   * Puts another filter in place between two calls of `get`, and returns the old one. Keys whose insertion is running
   * are added to the new filter, and no others, so it must already have all stored keys. Use `rebuild` if keys may be
   * added while the new filter is made.
   *
   * @throws TypeError unless `next` is a filter, and takes keys if an insertion runs; FilterFullError if it has no room
   *   for them. Then the old filter stays
   */
  swap(next: F): F {
    requireFilter('next', next, this.#growth !== undefined);
    return this.#replace('next', next, this.#unstored());
  }

  /** The changes that the store may not have, or not yet. */
  #unstored(): FilterChanges<K> {
    return new FilterChanges([...this.#open.inserted(), ...this.#waiting]);
  }

  #replace(name: string, next: F, changes: FilterChanges<K>): F {
    const old = this.#filter;
    if (next !== old) {
      for (const { key, isAdded } of changes) {
        // A key that the new filter may never have got cannot be removed from it: that could remove another one.
        if (!isAdded) requireDone(`exclude() of ${name}`, next.exclude?.(key));
        else if (next.add) requireDone(`add() of ${name}`, next.add(key));
        else throw new TypeError(`${name} must have add(), because keys are added meanwhile`);
      }
      this.#open.move(changes);
      this.#waiting.clear();
    }
    this.#filter = next;
    this.#absent = { rejected: 0, falsePositives: 0, isReported: false };
    this.#growth?.restart();
    return old;
  }

  /**
   * Makes a new filter with the option `rebuild`, or `grow` if only that is given, and puts it in place. Meanwhile, the
   * old filter answers. Keys that are added during the rebuild, or whose insertion is running when it begins, are added
   * to the new filter too. Keys that are removed meanwhile are excluded from a filter that has `exclude`; other filters
   * may still say that they are present.
   *
   * If the rebuild fails, the old filter stays, with all keys. A call during another rebuild, or while the filter
   * grows, waits for that to end.
   *
   * @returns the old filter, which is no longer used: dispose of it
   * @throws what the option throws, or the new filter, for example because it is full: the promise rejects. TypeError if
   *   the option is missing
   */
  rebuild(): Promise<F> {
    const { rebuild, grow } = this.#options;
    if (rebuild === undefined && grow !== undefined) return this.#rebuild('grow', () => grow(this.#nextCapacity()));
    return this.#rebuild('rebuild', rebuild);
  }

  #rebuild(option: 'rebuild' | 'grow', make: (() => F | Promise<F>) | undefined): Promise<F> {
    this.#rebuilding ??= this.#make(option, make).finally(() => {
      this.#rebuilding = undefined;
      this.#changes = undefined;
    });
    return this.#rebuilding;
  }

  async #make(option: 'rebuild' | 'grow', make: (() => F | Promise<F>) | undefined): Promise<F> {
    if (make === undefined) throw new TypeError(mustBe(`options.${option}`, 'a function', make));
    const name = `the filter of options.${option}()`;
    this.#changes = this.#unstored();
    const next = await make();
    requireFilter(name, next, this.#growth !== undefined);
    if (next === this.#filter) throw new TypeError(`${name} must be new, got the current one`);
    return this.#replace(name, next, this.#changes);
  }

  #nextCapacity(): number {
    return nextCapacity(this.#filter, this.#waiting.size);
  }

  #growIfDue(): void {
    const { grow } = this.#options;
    if (grow === undefined || this.#growth === undefined || this.#changes !== undefined) return;
    if (this.#growth.isDue(this.#filter, this.#waiting.size > 0)) void this.#grow(grow, this.#growth);
  }

  async #grow(grow: (capacity: number) => F | Promise<F>, plan: GrowthPlan): Promise<void> {
    const begun = performance.now();
    const capacity = this.#nextCapacity();
    const growth: Growth<F> = await this.#rebuild('grow', () => grow(capacity)).then(
      (old) => ({ capacity, old }),
      (error: unknown) => ({ capacity, error }),
    );
    plan.ended(begun);
    this.#options.onGrow?.(growth);
  }

  /** Whether a key may be stored, by the filter and the keys for which it has no room. */
  #mayBeStored(key: K): boolean {
    return requireAnswer('filter.has()', this.#filter.has(key)) || this.#waiting.has(key);
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
      isAbsent = requireAnswer('options.isAbsent()', this.#isAbsent(value));
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
    // Else the key may have been stored meanwhile.
    if (!flight.isStale) this.#foundAbsent(key);
    this.#report();
    return value;
  }

  /** Notes that the store did not have a key, of which no change has begun or ended since. */
  #foundAbsent(key: K): void {
    const open = this.#open.get(key);
    if (open === undefined) requireDone('filter.exclude()', this.#filter.exclude?.(key));
    if (open === undefined || open.isRunning) return;
    open.isGone = true;
    this.#settle(open);
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

/**
 * Puts a filter in front of a slow store, such as a database, so that a key which the filter rules out costs no load.
 * The guard counts the loads that the filter saves, lets concurrent calls for a key share one load, and can replace the
 * filter while requests run. It caches no values.
 *
 * ```ts
 * const users = guard(filter, (name: string, { signal }) => database.find(name, signal));
 * await users.get('ada'); // undefined without a load, if the filter says that there is no ada
 * users.measuredRate; // { absent: 51234, rate: 0.0098, interval: [0.0090, 0.0107] }
 * ```
 *
 * **Every stored key must be in the filter.** So add a key, by the guard's `add`, before the store commits it.
 *
 * @param filter a filter of all stored keys, of any kind
 * @param load returns the value of a key, or a promise of it; `undefined` or `null` if the key is not stored
 * @throws TypeError if `filter` is not a filter, `load` not a function, or an option of another type
 */
export function guard<K extends Key, V, F extends GuardFilter>(
  filter: F,
  load: Load<K, V>,
  options: GuardOptions<V, F> = {},
): Guard<K, V, F> {
  return new Guard(filter, load, options);
}
