// A guard in front of a store never lacks a stored key, however its changes overlap. Random schedules decide when each function
// of the user's goes on, so that a run depends on its seed only.

import { describe, expect, it, vi } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { FingerprintSet } from '../../src/entries/fingerprint-set.ts';
import { FilterHandover, type Growth, type Guard, type GuardFilter, guard } from '../../src/entries/guard.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { BloomFilter, CountingBloomFilter, FilterFullError } from '../../src/index.ts';
import { randomFrom } from '../shared/random.ts';

/** Makes a filter with room for so many keys. */
type MakeFilter = (capacity: number) => GuardFilter;

interface Plan {
  readonly seed: number;
  readonly make: MakeFilter;
  readonly capacity: number;
  /** Whether it grows, and whether other filters take over. */
  readonly grows: boolean;
  readonly isReplaced: boolean;
  /** Whether keys look the same. Then a deletion fails if there is no row, as docs/guard.md wants it. */
  readonly collides?: boolean;
}

const KEYS = ['ada', 'grace', 'joan', 'edsger'];

/** The failure of all functions that fail. */
const WANTED = new Error('wanted');

/** A store, a guard in front of it, and all that runs. */
class Schedule {
  readonly stored = new Set<string>();
  readonly users: Guard<string, string | undefined, GuardFilter>;
  /** How many copies of each key may be in the filter besides the one that a removal takes. */
  readonly #spare = new Map(KEYS.map((key) => [key, 0]));
  /** Errors that nothing explains. */
  readonly failures: unknown[] = [];
  readonly growths: Growth<GuardFilter>[] = [];
  /** The most attempts to grow that ran at a time. */
  #mostGrowing = 0;
  now = 1e9;
  readonly #plan: Plan;
  readonly #random: (limit: number) => number;
  readonly #waiting: (() => void)[] = [];
  /** The keys whose insertion runs. */
  readonly #inserting: string[] = [];
  #left = 0;
  #growing = 0;
  #isResting = false;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#random = randomFrom(plan.seed);
    for (const key of KEYS.slice(2)) if (this.#random(2) === 0) this.stored.add(key);
    this.users = guard<string, string | undefined, GuardFilter>(
      this.#filterOf(this.stored, plan.capacity),
      (key) => this.#load(key),
      {
        rebuild: () => this.#read(plan.capacity),
        ...(plan.grows && {
          grow: async (capacity) => {
            this.#mostGrowing = Math.max(this.#mostGrowing, ++this.#growing);
            return this.#read(capacity).finally(() => this.#growing--);
          },
          onGrow: (growth) => this.growths.push(growth),
        }),
      },
    );
  }

  async run(operations: number): Promise<void> {
    for (let left = operations; left > 0 || this.#left > 0 || this.#growing > 0; ) {
      if (left > 0 && (this.#waiting.length === 0 || this.#random(3) === 0)) {
        left--;
        this.#start();
      } else if (this.#waiting.length > 0) {
        const [resume] = this.#waiting.splice(this.#random(this.#waiting.length), 1);
        resume?.();
      }
      this.now += 1500 * this.#random(2);
      this.#checkStored();
      for (let turns = this.#random(4); turns > 0; turns--) await undefined;
    }
    for (let turns = 10; turns > 0; turns--) await undefined;
    this.#isResting = true;
  }

  /** Checks what holds at rest. Removes all keys, each as often as it may be in the filter. */
  async check(): Promise<void> {
    const { users, stored } = this;
    for (const key of stored) this.#require((await users.get(key)) === key, `${key} is lost`);
    this.#require(this.#mostGrowing <= 1, 'two attempts to grow ran at a time');
    // Keys that wait for a larger filter are not seen from here, and a handover removes none.
    if (this.#plan.grows || this.#plan.collides || users.filter.remove === undefined) return;
    for (const [key, spare] of this.#spare) {
      for (let i = 0; i <= spare; i++) await users.remove(key, () => stored.delete(key));
      this.#require(!users.filter.has(key), `${key} cannot be removed`);
    }
  }

  /** Checks what holds even while changes run. */
  #checkStored(): void {
    if (this.#plan.grows) return;
    for (const key of this.stored) this.#require(this.users.filter.has(key), `${key} is absent`);
  }

  #require(isRight: boolean, otherwise: string): void {
    if (!isRight) this.failures.push(new Error(otherwise));
  }

  #is(percent: number): boolean {
    return this.#random(100) < percent;
  }

  /** Goes on when the schedule wants it to. */
  async #pause(): Promise<void> {
    if (!this.#isResting) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #filterOf(keys: Iterable<string>, capacity: number): GuardFilter {
    const filter = this.#plan.make(capacity);
    for (const key of keys) filter.add?.(key);
    return filter;
  }

  async #load(key: string): Promise<string | undefined> {
    const early = this.stored.has(key);
    const isEarly = this.#is(50);
    await this.#pause();
    if (!this.#isResting && this.#is(10)) throw WANTED;
    return (isEarly && !this.#isResting ? early : this.stored.has(key)) ? key : undefined;
  }

  /** Reads the store as a rebuild does: each half at a time of its own. */
  async #read(capacity: number): Promise<GuardFilter> {
    const halves = [KEYS.slice(0, 2), KEYS.slice(2)];
    const found: string[] = [];
    for (const half of halves) {
      if (this.#is(50)) await this.#pause();
      found.push(...half.filter((key) => this.stored.has(key)));
      if (this.#is(10)) throw WANTED;
    }
    if (this.#is(50)) await this.#pause();
    this.#spareAll();
    return this.#filterOf(found, this.#is(90) ? capacity : 1);
  }

  /** What a new filter got twice, once as a stored key and once as one that was added meanwhile, has a copy too many. */
  #spareAll(): void {
    for (const [key, spare] of this.#spare) this.#spare.set(key, spare + 1);
  }

  /** Changes the store early, late or not at all, and ends well or not. */
  async #commit(apply: () => void): Promise<void> {
    const [isEarly, isApplied, fails] = [this.#is(40), this.#is(85), this.#is(20)];
    if (isApplied && isEarly) apply();
    if (this.#is(80)) await this.#pause();
    if (isApplied && !isEarly) apply();
    if (this.#is(30)) await this.#pause();
    if (fails || !isApplied) throw WANTED;
  }

  async #insert(key: string): Promise<void> {
    this.#inserting.push(key);
    try {
      await this.#commit(() => this.stored.add(key));
    } finally {
      this.#inserting.splice(this.#inserting.indexOf(key), 1);
    }
  }

  async #erase(key: string): Promise<void> {
    let isThere = false;
    await this.#commit(() => {
      isThere = this.stored.delete(key);
    });
    if (this.#plan.collides && !isThere) throw WANTED;
  }

  /** Follows a call to its end. A rebuild fails if its filter is too small. */
  #follow(promise: Promise<unknown>, mayBeFull = false): void {
    this.#left++;
    const end = (error?: unknown): void => {
      this.#left--;
      const isExpected = error === WANTED || (mayBeFull && error instanceof FilterFullError);
      if (error !== undefined && !isExpected) this.failures.push(error);
    };
    promise.then(() => end(), end);
  }

  /** Starts something. The first two keys are in use most, so that much of it overlaps. */
  #start(): void {
    const { users, stored } = this;
    const key = KEYS[this.#random(this.#is(70) ? 2 : KEYS.length)] as string;
    const choice = this.#random(this.#plan.isReplaced ? 13 : 10);
    if (choice < 5) {
      this.#add(key, choice < 4);
    } else if (choice < 8) {
      this.#follow(users.remove(key, () => this.#erase(key)));
    } else if (choice === 8) {
      // Only what was added, or is being added, may be removed.
      const isInserted = !this.#plan.collides && this.#inserting.includes(key);
      if (!stored.delete(key) && !isInserted) return;
      users.remove(key);
    } else if (choice < 10) {
      this.#follow(users.get(key, this.#is(20) ? this.#aborted() : undefined));
    } else if (choice < 12) {
      this.#follow(users.rebuild(), true);
    } else {
      this.#spareAll();
      const isHandover = !this.#plan.grows && this.#is(50);
      const next = () => new FilterHandover(users.filter, new BloomFilter({ capacity: 100, errorRate: 1e-6 }));
      users.swap(isHandover ? next() : this.#filterOf(stored, 8));
    }
  }

  /** A signal that is aborted when the schedule wants it to be. */
  #aborted(): AbortController {
    const controller = new AbortController();
    this.#waiting.push(() => controller.abort(WANTED));
    return controller;
  }

  #add(key: string, isFunction: boolean): void {
    const { users, stored } = this;
    // A key that is added while it is there has one more copy than it needs.
    if (!this.#inserting.includes(key) && users.filter.has(key)) this.#spare.set(key, (this.#spare.get(key) ?? 0) + 1);
    try {
      if (isFunction) {
        this.#follow(
          users.add(key, () => this.#insert(key)),
          !this.#plan.grows,
        );
      } else {
        users.add(key);
        stored.add(key);
      }
    } catch (error) {
      // A filter that does not grow may be full. Then nothing is stored.
      if (!(error instanceof FilterFullError) || this.#plan.grows) this.failures.push(error);
    }
  }
}

/** The copies of what it takes keys for, without error. It refuses to remove what it does not have. */
class ExactFilter implements GuardFilter {
  readonly copies: string[] = [];
  readonly capacity: number;
  readonly #take: (key: string) => string;

  constructor(capacity: number, take = (key: string) => key) {
    this.capacity = capacity;
    this.#take = take;
  }

  has(key: string): boolean {
    return this.copies.includes(this.#take(key));
  }

  add(key: string): void {
    if (this.copies.length >= 2 * this.capacity)
      throw new FilterFullError('full', { code: 'FULL', reason: 'full', position: 0 });
    this.copies.push(this.#take(key));
  }

  remove(key: string): void {
    if (!this.has(key)) throw new Error(`${key} was removed, and is not there`);
    this.copies.splice(this.copies.indexOf(this.#take(key)), 1);
  }

  estimateCount(): number {
    return this.copies.length;
  }
}

const errorRate = 1e-6;
const FILTERS: Readonly<Record<string, MakeFilter>> = {
  exact: (capacity) => new ExactFilter(capacity),
  // Two of the keys look the same, and so do the others.
  colliding: (capacity) => new ExactFilter(capacity, (key) => String(KEYS.indexOf(key) % 2)),
  cuckoo: (capacity) => new CuckooFilter({ capacity, errorRate }),
  counting: (capacity) => new CountingBloomFilter({ capacity, errorRate }),
  // It holds a key once, however often that is added.
  set: () => new FingerprintSet(),
  tombstone: (capacity) => new TombstoneFilter(new BloomFilter({ capacity, errorRate })),
  'tombstone around cuckoo': (capacity) => new TombstoneFilter(new CuckooFilter({ capacity, errorRate })),
  classic: (capacity) => new BloomFilter({ capacity, errorRate }),
};

/** Few are needed to see whether a kind does what the exact filter does. */
const SCHEDULES = 1700;
const EXACT_SCHEDULES = 16_000;

describe.each(Object.entries(FILTERS))('in front of a store, a filter of the kind %s', (kind, make) => {
  it.each([
    ['while nothing replaces it', { capacity: 8, grows: false, isReplaced: false }],
    ['while others replace it', { capacity: 8, grows: false, isReplaced: true }],
    ['while it grows', { capacity: 2, grows: true, isReplaced: true }],
  ])('never lacks a stored key, and keeps no deleted one for ever, %s', async (_, plan) => {
    const schedules = kind === 'exact' || kind === 'colliding' ? EXACT_SCHEDULES : SCHEDULES;
    let [grown, failed] = [0, 0];
    for (let seed = 0; seed < schedules; seed++) {
      const schedule = new Schedule({ seed, make, ...plan, collides: kind === 'colliding' });
      vi.stubGlobal('performance', { now: () => schedule.now });
      await schedule.run(4 + (seed % 12));
      await schedule.check();
      if (schedule.failures.length > 0) expect.fail(`schedule ${seed}: ${schedule.failures}`);
      for (const { error } of schedule.growths) error === undefined ? grown++ : failed++;
    }
    // A set has no capacity, and grows by itself.
    expect([grown, failed].every((count) => count > schedules / 20)).toBe(plan.grows && kind !== 'set');
  });
});
