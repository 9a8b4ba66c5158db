// What changes tell their callers, and what is remembered of them. That they lose no key, however they overlap:
// model.test.ts.

import { describe, expect, it, vi } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { FilterHandover, type GuardFilter, guard } from '../../src/entries/guard.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { intersection, union } from '../../src/entries/views.ts';
import { Excluding, filterOf, later, names, open } from './tools.ts';

describe('changes that take time', () => {
  it('give what their functions give, and fail as they do', async () => {
    const rows = guard(new CuckooFilter({ capacity: 100 }), (name: string) => name);
    expect(await rows.add('ada', () => Promise.resolve('inserted'))).toBe('inserted');
    expect(await rows.remove('ada', () => 1)).toBe(1);
    const fail = () => {
      throw new Error('at once');
    };
    await expect(rows.add('ada', fail)).rejects.toThrow('at once');
    await expect(rows.remove('ada', fail)).rejects.toThrow('at once');
    // The deletion that failed does not keep the next one from removing the key.
    expect(rows.filter.has('ada')).toBe(true);
    await rows.remove('ada', () => undefined);
    expect(rows.filter.has('ada')).toBe(false);
  });

  it('refuse what is no key, and filters that forget', () => {
    const users = guard(CuckooFilter.from(names), (name: string) => name);
    for (const wrong of [{}, true, 2 ** 60, undefined] as never[]) {
      for (const each of [users, guard<string, string, GuardFilter>(new Excluding(), (name) => name)]) {
        expect(() => each.add(wrong)).toThrow(/^key must be/);
        expect(() => each.remove(wrong)).toThrow(/^key must be/);
      }
    }
    expect(() => users.add('a', 7 as never)).toThrow('insert must be a function, got 7');
    expect(() => users.remove('a', 7 as never)).toThrow('erase must be a function, got 7');
    const forgetting = new RotatingBloomFilter({ capacity: 10 });
    for (const wrong of [
      forgetting,
      new TombstoneFilter(forgetting),
      union(filterOf(names), forgetting),
      intersection(union(forgetting, filterOf(names)), filterOf(names)),
      new FilterHandover(forgetting, filterOf(names)),
      new FilterHandover(filterOf(names), forgetting),
    ]) {
      expect(() => guard(wrong, () => 1)).toThrow('filter must be a filter that forgets no keys, got an object');
      expect(() => users.swap(wrong as never)).toThrow('next must be a filter that forgets no keys, got an object');
    }
    for (const right of [new TombstoneFilter(filterOf(names)), union(filterOf(names), filterOf(names))]) {
      expect(guard(right, () => 1).filter).toBe(right);
    }
  });

  it.each(['add', 'remove', 'exclude'] as const)('refuse a filter whose %s gives a promise', async (method) => {
    const filter = { has: () => true, add: () => 1, remove: () => 1, exclude: () => 1, [method]: async () => true };
    const users = guard<string, undefined, GuardFilter>(filter as never as GuardFilter, () => undefined);
    const insert = vi.fn();
    const calls = async () => {
      await users.add('ada', insert);
      await users.remove('ada', () => undefined);
    };
    const message = `filter.${method}() must be done at once, got an object (Promise)`;
    await expect(calls()).rejects.toThrow(new TypeError(message));
    expect(insert).toHaveBeenCalledTimes(method === 'add' ? 0 : 1);
  });

  it('refuse wrong options of a call, and load nothing', async () => {
    const load = vi.fn(() => 1);
    const rows = guard(open, load);
    for (const [options, message] of [
      [{ signal: 5 }, 'options.signal must be an AbortSignal, got 5'],
      [{ sgnal: new AbortController().signal }, 'unknown option sgnal; the options are signal'],
    ] as const) {
      await expect(rows.get('ada', options as never)).rejects.toThrow(new TypeError(message));
    }
    expect(load).not.toHaveBeenCalled();
    expect(rows.stats.asked).toBe(0);
    expect(await rows.get('ada', { signal: undefined })).toBe(1);
  });

  it('take a filter without a prototype', async () => {
    const keys = new Set<unknown>(['ada']);
    const bare: GuardFilter = Object.assign(Object.create(null), {
      has: (key: unknown) => keys.has(key),
      remove: (key: unknown) => keys.delete(key),
    });
    const users = guard(bare, (name: string) => name);
    await users.remove('ada', () => undefined);
    expect(await users.get('ada')).toBe(undefined);
  });
});

describe('a key that was deleted while it was inserted', () => {
  it('is remembered with its copies, so that they do not pile up', async () => {
    const filter = new CuckooFilter({ capacity: 100 });
    const users = guard(filter, (name: string): string | undefined => name);
    for (let round = 0; round < 20; round++) {
      const commit = later<void>();
      const inserted = users.add('ada', () => commit.promise);
      await users.remove('ada', () => undefined);
      commit.resolve();
      await inserted;
    }
    expect(filter.count).toBe(1);
    users.remove('ada');
    expect(filter.count).toBe(0);
  });

  it('leaves the filter when it is loaded in vain', async () => {
    const filter = new CuckooFilter({ capacity: 100 });
    const users = guard(filter, () => undefined);
    const inserted = users.add('ada', () => Promise.resolve());
    await users.remove('ada', () => undefined);
    await inserted;
    expect(filter.count).toBe(1);
    await users.get('ada');
    expect(filter.count).toBe(0);
    // Another key that looks present may be a stored one: nothing is known of its copies.
    filter.add('grace');
    await users.get('grace');
    expect(filter.count).toBe(1);
  });
});

describe('a filter that takes the place of another', () => {
  it('gets nothing if it is the same, and is refused by a rebuild', async () => {
    const filter = new CuckooFilter({ capacity: 100 });
    const users = guard(filter, (name: string) => name, { rebuild: () => filter });
    const inserted = users.add('ada', () => undefined);
    users.swap(filter);
    await inserted;
    expect(filter.count).toBe(1);
    await expect(users.rebuild()).rejects.toThrow('must be new');
  });

  it('counts from the start again, without loads of the old one', async () => {
    const row = later<undefined>();
    const users = guard<string, undefined, GuardFilter>(new Excluding(), () => row.promise);
    const answer = users.get('nobody');
    const next = new Excluding();
    const old = users.filter;
    expect(users.swap(next)).toBe(old);
    row.resolve(undefined);
    await answer;
    expect([users.measuredRate.absent, next.excluded.size, users.stats.falsePositives]).toEqual([0, 0, 1]);
  });
});
