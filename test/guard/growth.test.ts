import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { type Growth, type GuardFilter, guard } from '../../src/entries/guard.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { BloomFilter } from '../../src/index.ts';
import { Excluding, filterOf, later } from './tools.ts';

const turns = async () => {
  for (let i = 0; i < 20; i++) await undefined;
};

let now = 0;
beforeEach(() => {
  now = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});

/** A table, guarded by a filter that grows. */
function table(make: (capacity: number) => GuardFilter, capacity: number) {
  const stored = new Set<string>();
  const growths: Growth<GuardFilter>[] = [];
  const read = vi.fn(async (wanted: number): Promise<GuardFilter> => {
    const filter = make(wanted);
    for (const key of stored) filter.add?.(key);
    return filter;
  });
  const users = guard<string, string | undefined, GuardFilter>(
    make(capacity),
    (key) => (stored.has(key) ? key : undefined),
    { grow: read, onGrow: (growth) => growths.push(growth) },
  );
  const insert = (key: string) => users.add(key, () => void stored.add(key));
  const lost = async () => {
    const found = await Promise.all([...stored].map((key) => users.get(key)));
    return found.filter((key) => key === undefined).length;
  };
  return { stored, growths, read, users, insert, lost };
}

const cuckoo = (capacity: number) => new CuckooFilter({ capacity, errorRate: 1e-6 });
const classic = (capacity: number) => new BloomFilter({ capacity, errorRate: 0.01 });
const tombstone = (capacity: number) => new TombstoneFilter(classic(capacity));

describe('a guard that grows', () => {
  const makers = { cuckoo, classic, tombstone };
  it.each(Object.entries(makers))('gives a %s filter room for twice its keys, again and again', async (_, make) => {
    const { growths, insert, lost, users, read, stored } = table(make, 100);
    for (let i = 0; i < 2000; i++) {
      await insert(`user ${i}`);
      await turns();
      now += 1000;
    }
    expect(growths.map(({ error }) => error)).toEqual(growths.map(() => undefined));
    // From 100 to 2000, each time twofold.
    expect(growths.length).toBe(5);
    expect(read).toHaveBeenCalledTimes(5);
    growths.forEach(({ capacity, old }, i) => {
      const before = old?.capacity ?? NaN;
      expect(capacity / before).toBeGreaterThanOrEqual(2);
      expect(capacity / before).toBeLessThan(2.2);
      expect((growths[i + 1]?.old ?? users.filter).capacity).toBe(make(capacity).capacity);
    });
    expect(users.filter.estimateCount?.()).toBeLessThanOrEqual(users.filter.capacity ?? NaN);
    expect([await lost(), stored.size]).toEqual([0, 2000]);
  });

  it('keeps keys for which there is no room beside the filter, until it has grown', async () => {
    const { growths, insert, lost, read, stored, users } = table(cuckoo, 4);
    const snapshot = later<GuardFilter>();
    let snapshotKeys: string[] = [];
    read.mockImplementation(() => {
      snapshotKeys = [...stored];
      return snapshot.promise;
    });
    for (let i = 0; i < 100; i++) await insert(`user ${i}`);
    users.add('without a function');
    stored.add('without a function');
    await users.remove('user 99', () => stored.delete('user 99'));
    expect([await lost(), await users.get('user 99'), users.stats.rejected]).toEqual([0, undefined, 1]);
    expect(read).toHaveBeenCalledTimes(1);
    snapshot.resolve(cuckoo(300).addMany(snapshotKeys));
    await turns();
    expect(growths).toMatchObject([{ old: { capacity: cuckoo(4).capacity } }]);
    // Each key once, also the one that made it grow.
    expect([await lost(), stored.size, users.filter.estimateCount?.()]).toEqual([0, 100, 100]);
    // A key that has waited is removed from the filter that it is in now.
    await users.remove('user 98', () => stored.delete('user 98'));
    expect(users.filter.has('user 98')).toBe(false);
  });

  it('loses nothing if that fails, says so, and pauses', async () => {
    const { growths, insert, lost, read, stored } = table(cuckoo, 4);
    const add = async (count: number) => {
      for (let i = 0; i < count; i++) {
        await insert(`user ${stored.size}`);
        await turns();
      }
      return read.mock.calls.length;
    };
    const failures: [elapsed: number, next: () => Promise<GuardFilter>, error: object][] = [
      [500, () => Promise.reject(new Error('no connection')), new Error('no connection')],
      [0, () => Promise.reject(new Error('at once')), new Error('at once')],
      [0, async () => cuckoo(1), { name: 'FilterFullError' }],
      [0, async () => new Excluding(), { message: expect.stringContaining('capacity and estimateCount()') }],
    ];
    for (const [i, [elapsed, next, error]] of failures.entries()) {
      read.mockImplementation(() => {
        now += elapsed;
        return next();
      });
      expect(await add(50)).toBe(i + 1);
      expect(growths).toHaveLength(i + 1);
      expect(growths[i]).toMatchObject({ capacity: expect.any(Number), error });
      now += Math.max(1000, 10 * elapsed) - 1;
      expect(await add(50)).toBe(i + 1);
      now += 1;
    }
    expect(await lost()).toBe(0);
    read.mockImplementation(async (capacity) => {
      expect(capacity).toBeGreaterThan(2 * stored.size - 10);
      return cuckoo(capacity).addMany([...stored]);
    });
    await add(1);
    expect(growths[4]?.error).toBe(undefined);
    expect([await lost(), stored.size]).toEqual([0, 401]);
  });

  it('counts a large filter seldom', async () => {
    const { growths, insert, users } = table(classic, 6400);
    const count = vi.spyOn(users.filter as BloomFilter, 'estimateCount');
    let keys = 0;
    while (growths.length === 0) await insert(`user ${keys++}`);
    expect(keys).toBeGreaterThan(6200);
    expect(keys).toBeLessThan(6700);
    // At the first key, near the end, and for the capacity to grow to.
    expect(count.mock.calls.length).toBeLessThan(8);
    // Soon after an attempt that has failed, although it would take a hundred keys until it is counted again.
    const full = table(classic, 6400);
    full.read.mockRejectedValueOnce(new Error('no connection'));
    (full.users.filter as BloomFilter).addMany(Array.from({ length: 7000 }, (_, i) => i));
    for (let i = 0; i < 2; i++) {
      await full.insert(`user ${i}`);
      await turns();
      now += 1000;
    }
    expect(full.growths.length).toBe(2);
  });

  it('counts a filter that was put in place with the next key', async () => {
    const { growths, users } = table(classic, 1000);
    users.add('ada');
    users.swap(classic(10).addMany(Array.from({ length: 30 }, (_, i) => i)));
    users.add('grace');
    await turns();
    expect(growths.length).toBe(1);
    // It may have as many keys as it was made for.
    const exact = table(cuckoo, 100);
    for (let i = 0; i < Number(exact.users.filter.capacity); i++) exact.users.add(`user ${i}`);
    expect(exact.read).not.toHaveBeenCalled();
  });

  it('pauses before it tells of an attempt, so that a key that is added then begins no other', async () => {
    const grow = vi.fn().mockRejectedValue(new Error('no connection'));
    const onGrow = () => users.add(4);
    const users = guard<number, number, GuardFilter>(classic(1), (key) => key, { grow, onGrow });
    for (const key of [1, 2, 3]) users.add(key);
    await turns();
    expect(grow).toHaveBeenCalledTimes(1);
  });

  it('tells nobody if nobody asked', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const next = classic(100);
    const users = guard<number, number, GuardFilter>(classic(1), (key) => key, { grow: () => next });
    for (const key of [1, 2, 3]) users.add(key);
    // Unhandled rejections are reported between turns of the event loop.
    await new Promise((done) => setImmediate(done));
    process.off('unhandledRejection', unhandled);
    expect(users.filter).toBe(next);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('asks for a limited capacity if the filter is full of keys without number', async () => {
    const { growths, users } = table(classic, 10);
    vi.spyOn(users.filter as BloomFilter, 'estimateCount').mockReturnValue(Infinity);
    users.add('ada');
    await turns();
    expect(growths).toMatchObject([{ capacity: 320 }]);
  });

  it('waits for a rebuild, which grows by the same function, and a rebuild for it', async () => {
    const { growths, insert, read, users } = table(classic, 10);
    const snapshot = later<BloomFilter>();
    read.mockReturnValueOnce(snapshot.promise);
    const rebuilt = users.rebuild();
    expect(read).toHaveBeenCalledWith(10);
    for (let i = 0; i < 30; i++) await insert(`user ${i}`);
    snapshot.resolve(classic(10));
    await rebuilt;
    expect([growths.length, read.mock.calls.length]).toEqual([0, 1]);
    void insert('user 30');
    const old = users.filter;
    expect(await users.rebuild()).toBe(old);
    await turns();
    expect([growths.length, read.mock.calls.length]).toEqual([1, 2]);
  });

  it('rebuilds by the option of that name where it has both', async () => {
    const next = classic(50);
    const users = guard(classic(10), (key: string) => key, { grow: classic, rebuild: () => next });
    await users.rebuild();
    expect(users.filter).toBe(next);
  });

  it('needs filters that can tell when they are too small', () => {
    const options = { grow: () => filterOf([]) };
    const message = 'must be a filter with capacity and estimateCount() for options.grow, got an object (Excluding)';
    const guarded = (filter: GuardFilter) => guard<string, string, GuardFilter>(filter, (key) => key, options);
    expect(() => guarded(new Excluding())).toThrow(`filter ${message}`);
    expect(() => guarded(filterOf([])).swap(new Excluding())).toThrow(`next ${message}`);
  });
});
