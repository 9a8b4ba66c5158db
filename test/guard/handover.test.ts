import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { FilterHandover } from '../../src/entries/guard.ts';
import { BloomFilter } from '../../src/index.ts';
import { range } from '../shared/integers.ts';
import { randomFrom } from '../shared/random.ts';

describe('a handover from one filter to another', () => {
  it('finds the keys of both, and moves those that are asked for', () => {
    const old = BinaryFuseFilter.from(range(0, 1000), { errorRate: 1e-9 });
    const next = new BloomFilter({ capacity: 10_000, errorRate: 1e-9 });
    const seen = new FilterHandover(old, next);
    expect(seen.add(5000)).toBe(true);
    expect(seen.add(5000)).toBe(false);
    expect(seen.add(7)).toBe(false);
    expect(range(0, 500).every((key) => seen.has(key))).toBe(true);
    expect(seen.has(6000)).toBe(false);
    expect(next.hasMany(range(0, 500)).every(Boolean)).toBe(true);
    expect(next.pick(range(500, 1000))).toEqual([]);
    expect(next.has(5000)).toBe(true);
  });

  it('is done when the new filter has what is in use', () => {
    const old = BloomFilter.from(range(0, 10_000), { errorRate: 1e-9 });
    const seen = new FilterHandover(old, new BloomFilter({ capacity: 20_000 }), { window: 1000 });
    expect([seen.oldShare, seen.isDone]).toEqual([1, false]);
    const random = randomFrom(1);
    let asked = 0;
    // A tenth of the keys is in use.
    for (; !seen.isDone; asked++) seen.has(random(1000));
    expect(seen.oldShare).toBeLessThan(0.01);
    // After 1000 ln 100 keys, one in a hundred is still asked for the first time; the average lags by its window.
    expect(asked).toBeGreaterThan(4000);
    expect(asked).toBeLessThan(12_000);
    expect(seen.next.pick(range(0, 1000)).length).toBeGreaterThan(980);
  });

  it('is not done before its window has passed, and takes time only by keys that look present', () => {
    const old = new BloomFilter({ capacity: 10 });
    const next = BloomFilter.from([1], { capacity: 10 });
    const seen = new FilterHandover(old, next, { window: 50 });
    for (let i = 0; i < 49; i++) {
      seen.has(1);
      seen.has(2);
    }
    expect([seen.oldShare, seen.isDone]).toEqual([0, false]);
    seen.has(1);
    expect(seen.isDone).toBe(true);
  });

  it('refuses filters that answer with a promise, which would pass for true', () => {
    const filter = new BloomFilter({ capacity: 10 });
    const late = { has: async () => false, add: () => true } as never as BloomFilter;
    const lateToAdd = { has: () => false, add: async () => true } as never as BloomFilter;
    const of = (old: BloomFilter, next: BloomFilter) => () => new FilterHandover(old, next).has('ada');
    expect(of(late, filter)).toThrow(new TypeError('old.has() must be true or false, got an object (Promise)'));
    expect(of(filter, late)).toThrow(new TypeError('next.has() must be true or false, got an object (Promise)'));
    expect(() => new FilterHandover(filter, late).add('ada')).toThrow('next.has() must be true or false');
    expect(of(BloomFilter.from(['ada']), lateToAdd)).toThrow('next.add() must be done at once, got an object');
    expect(() => new FilterHandover(filter, lateToAdd).add('ada')).toThrow('next.add() must be done at once');
    expect(filter.has('ada')).toBe(false);
  });

  it('refuses what is no filter, and wrong options', () => {
    const filter = new BloomFilter({ capacity: 10 });
    expect(() => new FilterHandover(7 as never, filter)).toThrow(new TypeError('old must be a filter, got 7'));
    const fixed = BinaryFuseFilter.from([1]);
    expect(() => new FilterHandover(filter, fixed as never)).toThrow('next must be a filter with add(), got');
    expect(() => new FilterHandover(filter, filter, { window: 0 })).toThrow(RangeError);
    expect(() => new FilterHandover(filter, filter, { share: 1 })).toThrow(RangeError);
  });
});
