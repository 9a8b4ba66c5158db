import { describe, expect, it, vi } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import type { GuardFilter } from '../../src/entries/guard.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { BloomFilter, CountingBloomFilter, FilterFullError } from '../../src/index.ts';
import { KEYS, type MakeFilter, Schedule } from './schedule.ts';

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
      vi.stubGlobal('Date', { now: () => schedule.now });
      await schedule.run(4 + (seed % 12));
      await schedule.check();
      if (schedule.failures.length > 0) expect.fail(`schedule ${seed}: ${schedule.failures}`);
      for (const { error } of schedule.growths) error === undefined ? grown++ : failed++;
    }
    vi.unstubAllGlobals();
    expect([grown, failed].every((count) => count > schedules / 20)).toBe(plan.grows);
  });
});
