import { describe, expect, it, vi } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { FilterHandover, type Guard, type GuardFilter, guard } from '../../src/entries/guard.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { intersection, union } from '../../src/entries/views.ts';
import { BloomFilter, CountingBloomFilter } from '../../src/index.ts';
import { Excluding, filterOf, later, names, open } from './tools.ts';

describe('changes that take time', () => {
  it('add a key before its insertion, which a rebuild that reads the store too early does not lose', async () => {
    const stored = new Set(names);
    const users = guard(filterOf(names), (name: string) => (stored.has(name) ? name : undefined), {
      rebuild: () => filterOf([...stored]),
    });
    const commit = later<void>();
    const inserted = users.add('alan', async () => {
      expect(users.filter.has('alan')).toBe(true);
      await commit.promise;
      stored.add('alan');
      return 'inserted';
    });
    await users.rebuild();
    expect(await users.get('alan')).toBe(undefined);
    commit.resolve();
    expect(await inserted).toBe('inserted');
    expect(await users.get('alan')).toBe('alan');
  });

  it('exclude no key whose insertion runs, even if it fails', async () => {
    const users = guard(new Excluding(), () => undefined);
    const commit = later<void>();
    const inserted = users.add('ada', () => commit.promise);
    await users.get('ada');
    expect(users.filter.excluded.size).toBe(0);
    commit.reject(new Error('no connection'));
    await expect(inserted).rejects.toThrow('no connection');
    await users.get('ada');
    expect([...users.filter.excluded]).toEqual(['ada']);
    const failing = users.add('ada', () => {
      throw new Error('at once');
    });
    await expect(failing).rejects.toThrow('at once');
    expect(users.filter.excluded.size).toBe(0);
  });

  it('remove a key after its deletion, unless it was added meanwhile or the deletion failed', async () => {
    const rows = guard(CuckooFilter.from(names), (name: string) => name);
    const deleted = later<number>();
    const removal = rows.remove('ada', () => deleted.promise);
    expect(rows.filter.has('ada')).toBe(true);
    deleted.resolve(1);
    expect(await removal).toBe(1);
    expect(rows.filter.has('ada')).toBe(false);

    const again = later<void>();
    const second = rows.remove('grace', () => again.promise);
    rows.add('grace');
    again.resolve();
    await second;
    expect(rows.filter.has('grace')).toBe(true);

    await expect(rows.remove('joan', () => Promise.reject(new Error('locked')))).rejects.toThrow('locked');
    expect(rows.filter.has('joan')).toBe(true);
  });

  it('remove nothing from a filter that came meanwhile, and may never have got the key', async () => {
    const next = CuckooFilter.from(['grace'], { capacity: 100 });
    const rows = guard(CuckooFilter.from(names), (name: string) => name, { rebuild: () => next });
    const deleted = later<void>();
    const removal = rows.remove('ada', () => deleted.promise);
    await rows.rebuild();
    const remove = vi.spyOn(next, 'remove');
    deleted.resolve();
    await removal;
    expect(remove).not.toHaveBeenCalled();
    expect(rows.filter.has('grace')).toBe(true);
  });

  it('say nothing about a key whose load was aborted', async () => {
    const users = guard(new Excluding(), async (_: string, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return undefined;
    });
    const controller = new AbortController();
    const answer = users.get('ada', controller);
    controller.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    await Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(users.filter.excluded.size).toBe(0);
    expect(users.stats).toMatchObject({ loaded: 1, failed: 1, falsePositives: 0 });
  });

  it('refuse what is no key, and filters that forget', () => {
    const users = guard(CuckooFilter.from(names), (name: string) => name);
    for (const wrong of [{}, true, 2 ** 60, undefined]) {
      expect(() => users.add(wrong as never)).toThrow(/^key must be/);
      expect(() => users.remove(wrong as never)).toThrow(/^key must be/);
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

  it('refuse wrong options of a call, and load nothing', async () => {
    const load = vi.fn(() => 1);
    const rows = guard(open, load);
    for (const [options, message] of [
      [{ signal: 5 }, 'options.signal must be an AbortSignal, got 5'],
      [{ signal: null }, 'options.signal must be an AbortSignal, got null'],
      [{ sgnal: new AbortController().signal }, 'unknown option sgnal; did you mean signal?'],
      [null, 'options must be an object such as { signal: AbortSignal.timeout(1000) }, got null'],
      ['ada', 'options must be an object such as { signal: AbortSignal.timeout(1000) }, got "ada"'],
    ] as const) {
      await expect(rows.get('ada', options as never)).rejects.toThrow(new TypeError(message));
    }
    expect(load).not.toHaveBeenCalled();
    expect(rows.stats.asked).toBe(0);
    expect(await rows.get('ada', { signal: undefined })).toBe(1);
  });

  it('take a filter without a prototype, and remember nothing of changes that have ended', async () => {
    const keys = new Set<unknown>(['ada']);
    const bare: GuardFilter = Object.assign(Object.create(null), {
      has: (key: unknown) => keys.has(key),
      remove: (key: unknown) => keys.delete(key),
    });
    const users = guard(bare, (name: string) => name);
    await expect(users.remove('ada', () => Promise.reject(new Error('locked')))).rejects.toThrow('locked');
    // The deletion that failed does not keep the next one from removing the key.
    await users.remove('ada', () => undefined);
    expect(await users.get('ada')).toBe(undefined);
  });

  it('remove a key once, though two deletions of it run', async () => {
    const rows = guard(new CuckooFilter({ capacity: 2 }).addMany(['ada', 'ada']), (name: string) => name);
    await Promise.all([rows.remove('ada', () => undefined), rows.remove('ada', () => undefined)]);
    expect(rows.filter.count).toBe(1);
  });

  it('refuse a rebuild that gives the current filter', async () => {
    const filter = filterOf(names);
    const users = guard(filter, (name: string) => name, { rebuild: () => filter });
    await expect(users.rebuild()).rejects.toThrow('must be new');
  });
});

/** The deletions that overlap an insertion of the same key. The insertion commits last, or not at all. */
const OVERLAPS = {
  'a deletion': (users: Users) => users.remove('ada', () => undefined),
  'a deletion that is told without a function': async (users: Users) => users.remove('ada'),
  'two deletions': (users: Users) =>
    Promise.all([users.remove('ada', () => undefined), users.remove('ada', () => undefined)]),
  'a rebuild, and a deletion while it runs': async (users: Users) => {
    const rebuilt = users.rebuild();
    await users.remove('ada', () => undefined);
    await rebuilt;
  },
} as const;

type Users = Guard<string, string | undefined, GuardFilter>;

describe.each(Object.entries(OVERLAPS))('while a key is inserted, %s', (_, remove) => {
  it.each([
    ['cuckoo', () => new CuckooFilter({ capacity: 100 })],
    ['counting', () => new CountingBloomFilter({ capacity: 100 })],
    ['tombstone', () => new TombstoneFilter(new BloomFilter({ capacity: 100 }))],
  ])('leaves it in a %s filter until a later deletion, or a load in vain', async (_, make) => {
    const stored = new Set<string>();
    const find = (name: string) => (stored.has(name) ? name : undefined);
    const users: Users = guard<string, string | undefined, GuardFilter>(make(), find, { rebuild: make });
    for (const commits of [true, false, false]) {
      // Each round would leave a copy behind if the copies of the rounds before were forgotten.
      for (let round = 0; round < 12; round++) {
        const commit = later<void>();
        const inserted = users.add('ada', async () => {
          await commit.promise;
          if (commits) stored.add('ada');
        });
        await remove(users);
        commit.resolve();
        await inserted;
        expect(await users.get('ada')).toBe(commits ? 'ada' : undefined);
      }
      await users.remove('ada', () => stored.delete('ada'));
      expect(users.filter.has('ada')).toBe(false);
    }
  });
});

describe('a key that was deleted while it was inserted', () => {
  it('is remembered with its copies, so that they do not pile up', async () => {
    const filter = new CuckooFilter({ capacity: 100 });
    const users = guard(filter, (name: string): string | undefined => name);
    const race = async () => {
      const commit = later<void>();
      const inserted = users.add('ada', () => commit.promise);
      await users.remove('ada', () => undefined);
      commit.resolve();
      await inserted;
    };
    for (let round = 0; round < 20; round++) await race();
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

  it('keeps the copy that was there before its deletion began, which may be that of another key', async () => {
    const filter = CuckooFilter.from(['ada'], { capacity: 100 });
    const users = guard(filter, (name: string) => name);
    const erased = later<void>();
    const removal = users.remove('ada', () => erased.promise);
    const inserted = users.add('ada', () => undefined);
    expect(filter.count).toBe(2);
    await inserted;
    erased.resolve();
    await removal;
    expect(filter.count).toBe(2);
  });

  it('keeps its only copy if the deletion fails because the store had no such key', async () => {
    // Another key looks the same.
    const filter = new CuckooFilter({ capacity: 100 });
    filter.add('ada');
    const users = guard(filter, (name: string) => name);
    const removal = users.remove('ada', () => Promise.reject(new Error('no such key')));
    const inserted = users.add('ada', () => undefined);
    await expect(removal).rejects.toThrow('no such key');
    await inserted;
    expect(filter.count).toBe(2);
  });

  it('that the filter never had takes no other key along', async () => {
    const filter = CuckooFilter.from(['grace'], { capacity: 100 });
    const remove = vi.spyOn(filter, 'remove');
    const users = guard(filter, (name: string) => name);
    await users.remove('ada', () => undefined);
    users.remove('ada');
    expect(remove).not.toHaveBeenCalled();
  });
});

it('a filter that takes the place of another gets the keys that are being inserted, or stays out', async () => {
  const users = guard<string, string, GuardFilter>(filterOf(['ada']), (name) => name);
  const commit = later<void>();
  const inserted = users.add('grace', () => commit.promise);
  const next = filterOf(['ada']);
  const old = users.swap(next);
  const fixed = BinaryFuseFilter.from(['ada']);
  expect(() => users.swap(fixed)).toThrow('next must have add(), because keys are added meanwhile');
  expect(users.filter).toBe(next);
  commit.resolve();
  await inserted;
  expect([await users.get('grace'), old.has('grace')]).toEqual(['grace', true]);
  expect(users.swap(fixed)).toBe(next);
});

it('swapping a filter for itself adds nothing to it', async () => {
  const filter = new CuckooFilter({ capacity: 100 });
  const users = guard(filter, (name: string) => name);
  const inserted = users.add('ada', () => undefined);
  users.swap(filter);
  await inserted;
  expect(filter.count).toBe(1);
});

it.each(['add', 'remove', 'exclude', 'has'] as const)('refuses a filter whose %s gives a promise', async (method) => {
  const filter = { has: () => true, add: () => 1, remove: () => 1, exclude: () => 1, [method]: async () => true };
  const users = guard<string, undefined, GuardFilter>(filter as never as GuardFilter, () => undefined);
  const insert = vi.fn();
  const calls = async () => {
    await users.add('ada', insert);
    await users.remove('ada', () => undefined);
  };
  const wanted = method === 'has' ? 'true or false' : 'done at once';
  await expect(calls()).rejects.toThrow(new TypeError(`filter.${method}() must be ${wanted}, got an object (Promise)`));
  expect(insert).toHaveBeenCalledTimes(method === 'add' ? 0 : 1);
});
