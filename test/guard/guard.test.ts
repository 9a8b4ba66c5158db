import { describe, expect, it, vi } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { type GuardFilter, guard } from '../../src/guard.ts';
import { hashKeys } from '../../src/hash.ts';
import { BloomFilter, type Key } from '../../src/index.ts';
import { intersection, union } from '../../src/views.ts';

/** A promise that is settled from outside. */
function later<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}

const names = ['ada', 'grace', 'joan'];
const filterOf = (keys: readonly string[]): BloomFilter => BloomFilter.from(keys, { capacity: 100, errorRate: 1e-9 });
/** The hash of a key, by which filters tell keys apart. */
const hashOf = (key: Key): string => hashKeys([key]).bytes.toString();

/** A filter that lets everything through. */
const open: GuardFilter = { has: () => true };

/** A filter that excludes known errors, as a TombstoneFilter does. */
class Excluding implements GuardFilter {
  readonly excluded = new Set<unknown>();
  has = (key: unknown): boolean => !this.excluded.has(key);
  add = (key: unknown): boolean => this.excluded.delete(key);
  exclude = (key: unknown): void => void this.excluded.add(key);
}

describe('a guard', () => {
  it('loads only what the filter lets through, and counts', async () => {
    const load = vi.fn((key: string) => (names.includes(key) ? `row of ${key}` : undefined));
    const rows = guard(filterOf([...names, 'alan']), load);
    expect(await Promise.all(['ada', 'joan', 'alan', 'nobody'].map((name) => rows.get(name)))).toEqual([
      'row of ada',
      'row of joan',
      undefined,
      undefined,
    ]);
    expect(load.mock.calls.map(([key]) => key)).toEqual(['ada', 'joan', 'alan']);
    const counts = { asked: 4, rejected: 1, shared: 0, loaded: 3, truePositives: 2, falsePositives: 1, failed: 0 };
    expect(rows.stats).toEqual(counts);
    expect(rows.measuredRate).toMatchObject({ absent: 2, rate: 0.5 });
  });

  it('shares one load between ten thousand concurrent calls, and loads again afterwards', async () => {
    const row = later<object>();
    const load = vi.fn(() => row.promise);
    const rows = guard(filterOf(names), load);
    const answers = Array.from({ length: 10_000 }, () => rows.get('ada'));
    row.resolve({});
    expect(new Set(await Promise.all(answers)).size).toBe(1);
    expect(load).toHaveBeenCalledTimes(1);
    expect(rows.stats).toMatchObject({ asked: 10_000, shared: 9999, loaded: 1, truePositives: 1 });
    await rows.get('ada');
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('tells different keys apart, and knows equal ones of different types, as filters do', async () => {
    const load = vi.fn((key: Key) => hashOf(key));
    const rows = guard(open, load);
    const texts = ['1', 'text 1', 'bytes 31', '\ufeff1', '', '\ud800', '\ufffd', '\ud83d\ude00', '\ude00\ud83d'];
    const numbers = [1, 1n, -1, -1n, 2n ** 64n - 1n, 0, -0, 49];
    const bytes = [[49], [], [255], [254], [0xef, 0xbb, 0xbf, 49]].map((each) => Uint8Array.from(each));
    const keys: Key[] = [...texts, ...numbers, ...bytes, ...texts.map((text) => new TextEncoder().encode(text))];
    // A key that shares the load of another one gets the hash of that one.
    expect(await Promise.all(keys.map((key) => rows.get(key)))).toEqual(keys.map(hashOf));
    expect(load).toHaveBeenCalledTimes(new Set(keys.map(hashOf)).size);
  });

  it('passes an error to all who wait, and does not remember it', async () => {
    const row = later<string>();
    const load = vi.fn(() => row.promise);
    const rows = guard(filterOf(names), load);
    const answers = [rows.get('ada'), rows.get('ada')];
    row.reject(new Error('the database is down'));
    for (const answer of answers) await expect(answer).rejects.toThrow('the database is down');
    load.mockImplementation(() => Promise.resolve('row'));
    expect(await rows.get('ada')).toBe('row');
    expect(rows.stats).toMatchObject({ asked: 3, shared: 1, loaded: 2, failed: 1, truePositives: 1 });
    const broken = guard(open, () => {
      throw new Error('at once');
    });
    await expect(broken.get('ada')).rejects.toThrow('at once');
  });

  it('never loads if the filter fails', async () => {
    const load = vi.fn();
    const gone = filterOf(names);
    gone.dispose();
    await expect(guard(gone, load).get('ada')).rejects.toThrow(/dispose/);
    await expect(guard(filterOf(names), load).get(1.5 as never)).rejects.toThrow(/must be/);
    const later = { has: async () => false };
    await expect(guard(later as never as GuardFilter, load).get('ada')).rejects.toThrow(
      'filter.has() must be true or false, got an object (Promise)',
    );
    expect(load).not.toHaveBeenCalled();
  });

  it('refuses what is no filter, function or option', () => {
    const load = (): undefined => undefined;
    expect(() => guard(undefined as never, load)).toThrow(new TypeError('filter must be a filter, got undefined'));
    expect(() => guard(open, 7 as never)).toThrow(new TypeError('load must be a function, got 7'));
    expect(() => guard(open, load, { rebuild: 7 as never })).toThrow('options.rebuild must be a function, got 7');
    expect(() => guard(open, load, { rebuilt: load } as never)).toThrow(/rebuild/);
    expect(() => guard(open, load).add('ada')).toThrow('filter must have add()');
    expect(() => guard(open, load).swap(7 as never)).toThrow('next must be a filter, got 7');
  });
});

describe('waiting for a guard', () => {
  it('ends with an abort, and the load with the last one who waits', async () => {
    const row = later<string>();
    let inner: AbortSignal | undefined;
    const rows = guard(open, (_: string, { signal }) => {
      inner = signal;
      return row.promise;
    });
    const [one, other] = [new AbortController(), new AbortController()];
    const answers = [rows.get('ada', one), rows.get('ada', other)];
    one.abort(new Error('gone'));
    await expect(answers[0]).rejects.toThrow('gone');
    expect(inner?.aborted).toBe(false);
    other.abort(new Error('gone too'));
    await expect(answers[1]).rejects.toThrow('gone too');
    expect(inner?.reason).toEqual(new Error('gone too'));
    expect(rows.stats.loaded).toBe(1);
    void rows.get('ada');
    expect(rows.stats.loaded).toBe(2);
    const aborted = AbortSignal.abort(new Error('before'));
    await expect(rows.get('ada', { signal: aborted })).rejects.toThrow('before');
    expect(rows.stats.asked).toBe(3);
  });

  it('goes on for those without a signal', async () => {
    const row = later<string>();
    const rows = guard(open, () => row.promise);
    const controller = new AbortController();
    const answers = [rows.get('ada', controller), rows.get('ada')];
    controller.abort(new Error('gone'));
    row.resolve('row');
    await expect(answers[0]).rejects.toThrow('gone');
    expect(await answers[1]).toBe('row');
  });
});

describe('changes through a guard', () => {
  it('let later calls load anew, because a load that runs may not see them', async () => {
    const rows = [later<string | undefined>(), later<string | undefined>()];
    const load = vi.fn(() => rows[load.mock.calls.length - 1]?.promise as Promise<string | undefined>);
    const users = guard(new Excluding(), load);
    const before = users.get('ada');
    users.add('ada');
    const after = users.get('ada');
    rows[1]?.resolve('row');
    rows[0]?.resolve(undefined);
    expect(await Promise.all([before, after])).toEqual([undefined, 'row']);
    // The first load began before the key was stored, so it proves nothing.
    expect(users.filter.has('ada')).toBe(true);
  });

  it('exclude keys that were loaded in vain, until they are added', async () => {
    const load = vi.fn((key: string) => (key === 'ada' ? 'row' : undefined));
    const users = guard(new Excluding(), load);
    for (let i = 0; i < 3; i++) await users.get('nobody');
    expect(load).toHaveBeenCalledTimes(1);
    expect(users.stats).toMatchObject({ rejected: 2, falsePositives: 1 });
    users.add('nobody');
    await users.get('nobody');
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('remove keys where the filter can, and are harmless elsewhere', async () => {
    const rows = guard(CuckooFilter.from(names), (name: string) => name);
    rows.remove('ada');
    expect(await rows.get('ada')).toBe(undefined);
    expect(await rows.get('grace')).toBe('grace');
    const fixed = guard(BinaryFuseFilter.from(names), (name: string) => name);
    fixed.remove('ada');
    expect(await fixed.get('grace')).toBe('grace');
    expect(() => fixed.add('alan')).toThrow('filter must have add()');
  });
});

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

describe('the filter of a guard', () => {
  it('is swapped between two calls', async () => {
    const old = filterOf(['ada']);
    const users = guard(old, (name: string) => name);
    expect(users.swap(filterOf(['grace']))).toBe(old);
    expect(await users.get('ada')).toBe(undefined);
    expect(await users.get('grace')).toBe('grace');
  });

  it('counts from the start again after a swap, without loads of the old filter', async () => {
    const row = later<undefined>();
    const users = guard<string, undefined, GuardFilter>(new Excluding(), () => row.promise);
    const answer = users.get('nobody');
    const next = new Excluding();
    users.swap(next);
    row.resolve(undefined);
    await answer;
    expect(users.measuredRate.absent).toBe(0);
    expect(next.excluded.size).toBe(0);
    expect(users.stats.falsePositives).toBe(1);
  });

  it('is rebuilt while requests run, and gets the keys that are added meanwhile', async () => {
    const rebuilt = later<BloomFilter>();
    const stored = new Set(names);
    const old = filterOf(names);
    const users = guard(old, (name: string) => (stored.has(name) ? name : undefined), {
      rebuild: () => rebuilt.promise,
    });
    const ended = users.rebuild();
    expect(users.rebuild()).toBe(ended);
    const snapshot = filterOf([...stored]);
    users.add('alan');
    stored.add('alan');
    expect(await users.get('alan')).toBe('alan');
    expect(users.filter).toBe(old);
    rebuilt.resolve(snapshot);
    expect(await ended).toBe(old);
    expect(users.filter).toBe(snapshot);
    for (const name of stored) expect(await users.get(name)).toBe(name);
  });

  it('keeps the order of changes in a rebuild, and removes nothing that the new filter never got', async () => {
    const next = new Excluding();
    const users = guard<string, undefined, GuardFilter>(new Excluding(), () => undefined, {
      rebuild: async () => next,
    });
    const ended = users.rebuild();
    users.remove('ada');
    users.add('ada');
    users.add('grace');
    users.remove('grace');
    await ended;
    expect([...next.excluded]).toEqual(['grace']);

    const cuckoo = CuckooFilter.from(names);
    const others = guard(CuckooFilter.from(names), (name: string) => name, { rebuild: () => cuckoo });
    const done = others.rebuild();
    others.remove('ada');
    await done;
    expect(cuckoo.count).toBe(names.length);
  });

  it('copies byte keys that are added during a rebuild', async () => {
    const next = new BloomFilter({ capacity: 10 });
    const users = guard(new BloomFilter({ capacity: 10 }), () => undefined, { rebuild: async () => next });
    const ended = users.rebuild();
    const key = Uint8Array.of(1, 2, 3);
    users.add(key);
    key.fill(0);
    await ended;
    expect(next.has(Uint8Array.of(1, 2, 3))).toBe(true);
  });

  it('stays, with all keys, if a rebuild fails', async () => {
    const failing = vi.fn<() => Promise<BloomFilter>>();
    const users = guard(filterOf(names), (name: string) => name, { rebuild: failing });
    failing.mockRejectedValueOnce(new Error('no connection'));
    const first = users.rebuild();
    users.add('alan');
    await expect(first).rejects.toThrow('no connection');
    failing.mockResolvedValueOnce(7 as never);
    await expect(users.rebuild()).rejects.toThrow('the filter of options.rebuild() must be a filter, got 7');
    failing.mockResolvedValueOnce(BinaryFuseFilter.from(names) as never);
    const third = users.rebuild();
    users.add('barbara');
    await expect(third).rejects.toThrow('must have add()');
    for (const name of [...names, 'alan', 'barbara']) expect(await users.get(name)).toBe(name);
    failing.mockResolvedValueOnce(filterOf([...names, 'alan', 'barbara']));
    await users.rebuild();
    for (const name of [...names, 'alan', 'barbara']) expect(await users.get(name)).toBe(name);
    await expect(guard(open, () => 1).rebuild()).rejects.toThrow('options.rebuild must be a function');
  });
});
