import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { type GuardFilter, guard } from '../../src/entries/guard.ts';
import { hashKeys } from '../../src/entries/hash.ts';
import { measuredRate } from '../../src/guard/rate.ts';
import { BloomFilter, type Key } from '../../src/index.ts';
import { collectGarbage } from '../shared/garbage.ts';
import { Excluding, filterOf, later, names, open } from './tools.ts';

/** The hash of a key, by which filters tell keys apart. */
const hashOf = (key: Key): string => hashKeys([key]).bytes.toString();

describe('a guard', () => {
  it('loads only what the filter lets through, and counts', async () => {
    const load = vi.fn((key: string) => (names.includes(key) ? `row of ${key}` : undefined));
    const rows = guard(filterOf([...names, 'alan']), load);
    const found = await Promise.all(['ada', 'joan', 'alan', 'nobody'].map((name) => rows.get(name)));
    expect(found).toEqual(['row of ada', 'row of joan', undefined, undefined]);
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
    // Also with those that the load itself makes.
    const inner: unknown[] = [];
    const asking = guard(filterOf(names), (key: string) => {
      inner.push(asking.get(key), asking.get(key, new AbortController()));
      return row.promise;
    });
    expect(await asking.get('ada')).toEqual({});
    expect(await Promise.all(inner)).toEqual([{}, {}]);
    // The end of a load does not keep a later one, after a change, from being shared.
    const loads = [later<number>(), later<number>()];
    const begun = loads.values();
    const changed = guard(filterOf(names), async () => begun.next().value?.promise);
    const before = changed.get('ada');
    changed.add('ada');
    const after = [changed.get('ada')];
    loads[0]?.resolve(1);
    expect(await before).toBe(1);
    after.push(changed.get('ada'));
    loads[1]?.resolve(2);
    expect(await Promise.all(after)).toEqual([2, 2]);
  });

  it('tells different keys apart, and knows equal ones of different types, as filters do', async () => {
    const load = vi.fn((key: Key) => hashOf(key));
    const rows = guard(open, load);
    const texts = ['1', 'text 1', 'bytes 31', '\ufeff1', '', '\ud800', '\ufffd', '\ud83d\ude00', '\ude00\ud83d'];
    texts.push('\u00ff', '12345678');
    const numbers = [1, 1n, -1, -1n, 2n ** 64n - 1n, 0, -0, 49, 0x3837363534333231n];
    const bytes = [[49], [], [255], [254], [255, 1, 17], [255, 17, 1], [0xef, 0xbb, 0xbf, 49], Array(8).fill(255)].map(
      (each) => Uint8Array.from(each),
    );
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
    const broken = guard(open, vi.fn().mockThrow(new Error('at once')));
    await expect(broken.get('ada')).rejects.toThrow('at once');
  });

  it('never loads if the filter fails', async () => {
    const load = vi.fn();
    const gone = filterOf(names);
    gone.dispose();
    await expect(guard(gone, load).get('ada')).rejects.toThrow(/dispose/);
    await expect(guard(filterOf(names), load).get(1.5 as never)).rejects.toThrow(/must be/);
    const later = { has: async () => false };
    const message = 'filter.has() must be true or false, got an object (Promise)';
    const rows = guard(later as never as GuardFilter, load);
    await expect(rows.get('ada')).rejects.toThrow(message);
    expect(rows.stats).toMatchObject({ asked: 0, shared: 0 });
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
    const own = new AbortController();
    const abort = () => {
      own.abort(new Error('by the load'));
      return row.promise;
    };
    await expect(guard(open, abort).get('ada', own)).rejects.toThrow('by the load');
  });

  it('goes on for those without a signal', async () => {
    const row = later<string>();
    const rows = guard(open, () => row.promise);
    const [controller, other] = [new AbortController(), new AbortController()];
    const answers = [rows.get('ada', controller), rows.get('ada'), rows.get('ada', other)];
    controller.abort(new Error('gone'));
    row.resolve('row');
    await expect(answers[0]).rejects.toThrow('gone');
    expect(await answers[1]).toBe('row');
    expect(await answers[2]).toBe('row');
    expect(getEventListeners(other.signal, 'abort')).toEqual([]);
  });
});

it('a guard excludes keys that were loaded in vain, until they are added', async () => {
  const load = vi.fn((key: string) => (key === 'ada' ? 'row' : undefined));
  const users = guard(new Excluding(), load);
  for (let i = 0; i < 3; i++) await users.get('nobody');
  expect(load).toHaveBeenCalledTimes(1);
  expect(users.stats).toMatchObject({ rejected: 2, falsePositives: 1 });
  users.add('nobody');
  await users.get('nobody');
  expect(load).toHaveBeenCalledTimes(2);
  const wrong = guard(new Excluding(), load, { isAbsent: (async () => false) as never });
  const message = 'options.isAbsent() must be true or false, got an object (Promise)';
  await expect(wrong.get('ada')).rejects.toThrow(new TypeError(message));
  expect([wrong.filter.excluded.size, wrong.stats.failed]).toEqual([0, 1]);
});

it('a guard excludes the bytes that it was asked for, even if they change meanwhile', async () => {
  const row = later<undefined>();
  const exclude = vi.fn();
  const key = Uint8Array.of(1);
  const found = guard({ ...open, exclude }, () => row.promise).get(key);
  key[0] = 2;
  row.resolve(undefined);
  await found;
  expect(exclude.mock.calls).toEqual([[Uint8Array.of(1)]]);
});

it('a guard loads a Buffer by a Buffer of its own', async () => {
  const key = Buffer.from('cafe', 'hex');
  const found = guard(open, (id: Buffer) => [id, id.toString('hex')]).get(key);
  key.fill(0);
  expect(await found).toEqual([Buffer.from('cafe', 'hex'), 'cafe']);
});

it('a guard forgets a key once its changes have ended, if its filter can remove none', async () => {
  let copy: WeakRef<object> | undefined;
  const filter: GuardFilter = { has: () => true, add: (key) => (copy = new WeakRef(Object(key))) };
  const rows = guard<Uint8Array, undefined, GuardFilter>(filter, () => undefined);
  await Promise.all([rows.add(Uint8Array.of(1), () => Promise.resolve()), rows.remove(Uint8Array.of(1), () => {})]);
  await vi.waitFor(() => {
    collectGarbage();
    expect(copy?.deref() === undefined).toBe(true);
  });
  expect(rows.filter).toBe(filter);
});

describe('a filter that is rebuilt', () => {
  it('gets copies of byte keys', async () => {
    const next = new BloomFilter({ capacity: 10 });
    const users = guard(new BloomFilter({ capacity: 10 }), () => undefined, { rebuild: async () => next });
    const ended = users.rebuild();
    const key = Uint8Array.of(1, 2, 3);
    users.add(key);
    key.fill(0);
    await ended;
    expect(next.has(Uint8Array.of(1, 2, 3))).toBe(true);
  });

  it('stays, with all keys, if that fails', async () => {
    const failing = vi.fn<() => Promise<BloomFilter>>();
    const users = guard(filterOf(names), (name: string) => name, { rebuild: failing });
    failing.mockRejectedValueOnce(new Error('no connection'));
    const first = users.rebuild();
    expect(users.rebuild()).toBe(first);
    users.add('alan');
    await expect(first).rejects.toThrow('no connection');
    failing.mockResolvedValueOnce(7 as never);
    await expect(users.rebuild()).rejects.toThrow('the filter of options.rebuild() must be a filter, got 7');
    failing.mockResolvedValueOnce(BinaryFuseFilter.from(names) as never);
    const third = users.rebuild();
    users.add('barbara');
    await expect(third).rejects.toThrow('must have add()');
    for (const name of [...names, 'alan', 'barbara']) expect(await users.get(name)).toBe(name);
    const [old, next] = [users.filter, filterOf([...names, 'alan', 'barbara'])];
    failing.mockResolvedValueOnce(next);
    expect(await users.rebuild()).toBe(old);
    expect(users.filter).toBe(next);
    for (const name of [...names, 'alan', 'barbara']) expect(await users.get(name)).toBe(name);
    await expect(guard(open, () => 1).rebuild()).rejects.toThrow('options.rebuild must be a function');
  });
});

describe('a measured rate', () => {
  it('has the interval of Wilson, at whose ends the rate is 1.96 standard deviations away', () => {
    const [trials, share] = [fc.integer({ min: 1, max: 10 ** 7 }), fc.double({ min: 0, max: 1, noNaN: true })];
    const property = fc.property(trials, share, (n, p) => {
      const hits = Math.round(n * p);
      const { absent, rate, interval } = measuredRate(hits, n);
      expect([absent, rate]).toEqual([n, hits / n]);
      const [low, high] = interval;
      expect(low === 0).toBe(hits === 0);
      expect(high === 1).toBe(hits === n);
      for (const end of [...(hits > 0 ? [low] : []), ...(hits < n ? [high] : [])]) {
        const deviation = Math.sqrt((end * (1 - end)) / n);
        expect(Math.abs(rate - end) / deviation).toBeCloseTo(1.959964, 4);
      }
    });
    fc.assert(property);
  });

  it('says nothing without trials', () => expect(measuredRate(0, 0)).toEqual({ absent: 0, rate: 0, interval: [0, 1] }));
});

describe('the measured rate of a guard', () => {
  const stored = Array.from({ length: 5000 }, (_, i) => i);

  /** Asks a guard for absent keys, and returns what `onRate` was called with. */
  async function ask(capacity: number, absent: number) {
    const filter = BloomFilter.from(stored, { capacity, errorRate: 0.01 });
    const onRate = vi.fn();
    const rows = guard(filter, (key: number) => (key < 5000 ? key : undefined), { onRate });
    for (let key = 5000; key < 5000 + absent; key++) await rows.get(key);
    return { onRate, rows, truth: filter.estimateErrorRate() };
  }

  it('agrees with the filter, and with the count of loads in vain', async () => {
    const { rows, onRate, truth } = await ask(5000, 20_000);
    const { rate, interval } = rows.measuredRate;
    expect(rate).toBe(rows.stats.falsePositives / 20_000);
    expect(interval[0]).toBeLessThan(truth);
    expect(interval[1]).toBeGreaterThan(truth);
    expect(onRate).not.toHaveBeenCalled();
  });

  it('is reported once, from the tenth error on, and again after a swap', async () => {
    const onRate = vi.fn();
    const filter: GuardFilter = { has: () => true, errorRate: 0.01 };
    const rows = guard(filter, () => undefined, { onRate });
    const calls: number[] = [];
    for (let key = 0; key < 24; key++) {
      if (key === 12) rows.swap(rows.filter);
      await rows.get(key);
      calls.push(onRate.mock.calls.length);
    }
    expect(calls).toEqual([0, 1, 1, 2].flatMap((count, i) => Array(i % 2 ? 3 : 9).fill(count)));
    expect(onRate).toHaveBeenCalledWith(expect.objectContaining({ absent: 10, rate: 1 }));
    // Not without a promise, nor if the rate may be twice the promised one, as 0.13 of 100 keys may be 0.1.
    for (const other of [{ has: () => true }, { has: (key: Key) => Number(key) % 8 === 0, errorRate: 0.05 }]) {
      rows.swap(other);
      for (let key = 0; key < 100; key++) await rows.get(key);
    }
    // Nor while a request waits, which would fail with what it throws.
    vi.stubGlobal('queueMicrotask', () => {});
    rows.swap(filter);
    for (let key = 0; key < 12; key++) await rows.get(key);
    expect(onRate).toHaveBeenCalledTimes(2);
  });
});
