import { describe, expect, it } from 'vitest';
import type { Key } from '../../src/index.ts';
import { combinableKinds } from '../shared/kinds.ts';
import { text } from '../shared/stream-tools.ts';

describe.each(combinableKinds)('iterables of keys: $name', ({ Filter }) => {
  it("close the user's iterator", () => {
    let closed = 0;
    function* keys(): Generator<string> {
      try {
        yield 'a';
        yield 5.5 as unknown as string;
      } finally {
        closed++;
      }
    }
    const filter = new Filter({ capacity: 10 });
    expect(() => filter.addMany(keys())).toThrow('keys[1] must be a safe integer');
    expect(closed).toBe(1);
    expect(filter.has('a')).toBe(true);
  });

  it("add the keys before the iterator's own error, and pass that on", () => {
    function* keys(): Generator<string> {
      yield 'a';
      throw new Error('the disk is gone');
    }
    const filter = new Filter({ capacity: 10 });
    expect(() => filter.addMany(keys())).toThrow('the disk is gone');
    expect(filter.has('a')).toBe(true);
  });

  it('open the iterator only if all other arguments are right, and close it once', () => {
    const log: string[] = [];
    const keys = {
      [Symbol.iterator]() {
        log.push('open');
        return {
          next: () => ({ done: false as const, value: 1.5 }),
          return() {
            log.push('close');
            throw new Error('from return');
          },
        };
      },
    };
    const filter = new Filter({ capacity: 10 });
    expect(() => filter.addMany(keys, new Uint8Array(1))).toThrow(/^out needs a known number of keys/);
    expect(() => Filter.from(keys)).toThrow(/^options\.capacity/);
    expect(log).toEqual([]);
    expect(() => filter.addMany(keys)).toThrow(/^keys\[0\] must be a safe integer/);
    expect(log).toEqual(['open', 'close']);
    filter.dispose();
    expect(() => filter.addMany(keys)).toThrow('after dispose()');
    expect(log).toEqual(['open', 'close']);
  });

  it('may use another filter, or the same one, while keys are read', () => {
    const other = new Filter({ capacity: 1000 });
    const filter = new Filter({ capacity: 100_000, errorRate: 1e-5 });
    function* keys(): Generator<string> {
      for (let i = 0; i < 10_000; i++) {
        other.addMany([`other ${i}`, 'long '.repeat(50)]);
        filter.has(`something else ${i}`);
        yield `key ${i}`;
      }
    }
    filter.addMany(keys());
    const expected = Array.from({ length: 10_000 }, (_, i) => `key ${i}`);
    expect(filter.equals(new Filter({ capacity: 100_000, errorRate: 1e-5 }).addMany(expected))).toBe(true);
  });

  it('may be a proxy of a set whose iterator adds to the set', () => {
    const keys = new Set(['a', 'b']);
    const proxy = new Proxy(keys, {
      get(target, property) {
        if (property !== Symbol.iterator) return Reflect.get(target, property, target);
        return function* () {
          yield* target;
          target.add('c');
          yield 'c';
        };
      },
    });
    expect(new Filter({ capacity: 10, errorRate: 1e-5 }).dedupe(proxy)).toEqual(['a', 'b', 'c']);
  });

  it('may be a class of sets with an iterator of its own', () => {
    class Reversed extends Set<string> {
      override *[Symbol.iterator](): SetIterator<string> {
        yield* [...this.values()].reverse();
      }
    }
    const filter = new Filter({ capacity: 10, errorRate: 1e-5 });
    expect(filter.dedupe(new Reversed(['a', 'b', 'c']))).toEqual(['c', 'b', 'a']);
  });

  it('may yield the same buffer with new content each time', () => {
    function* records(): Generator<Uint8Array> {
      const record = new Uint8Array(2);
      for (let i = 0; i < 500; i++) {
        record[0] = i & 255;
        record[1] = i >> 8;
        yield record;
      }
    }
    const filter = new Filter({ capacity: 500, errorRate: 1e-5 });
    expect(filter.dedupe(records()).length).toBe(500);
    expect(filter.hasMany(records()).every((flag) => flag === 1)).toBe(true);
    expect(filter.has(new Uint8Array([5, 1]))).toBe(true);
  });

  it('may dispose of the filter, which then throws', () => {
    const filter = new Filter({ capacity: 100_000 });
    function* keys(): Generator<string> {
      for (let i = 0; i < 5000; i++) yield `key ${i}`;
      filter.dispose();
      yield 'late';
    }
    expect(() => filter.addMany(keys())).toThrow('after dispose()');
  });

  it('name the value of a set that is not a key, after the keys before it', () => {
    const keys = Array.from({ length: 6000 }, (_, i) => `key ${i}`);
    for (const wrong of [undefined, null, 0.5]) {
      const filter = new Filter({ capacity: 10_000, errorRate: 1e-5 });
      expect(() => filter.addMany(new Set<unknown>([...keys, wrong, 'late']) as Set<Key>)).toThrow(
        /^keys\[6000\] must/,
      );
      expect(filter.hasMany(new Set(keys))).toEqual(new Uint8Array(6000).fill(1));
      expect(filter.has('late')).toBe(false);
    }
  });

  it('read few long keys of an iterable before they are added', () => {
    const filter = new Filter({ capacity: 1000, errorRate: 1e-5 });
    let behind = 0;
    function* keys(): Generator<Key> {
      for (let i = 0; i < 200; i++) {
        behind = Math.max(behind, i - filter.estimateCount());
        const key = `${i}`.padEnd(10_000);
        yield i < 100 ? key : text(key);
      }
    }
    filter.addMany(keys());
    expect(behind).toBeLessThan(10);
    expect(filter.hasMany(keys())).toEqual(new Uint8Array(200).fill(1));
  });

  it('read iterables in chunks, never as a whole', () => {
    const filter = new Filter({ capacity: 100_000, errorRate: 1e-5 });
    let behind = 0;
    function* keys(): Generator<number> {
      for (let i = 0; i < 100_000; i++) {
        if (i % 10_000 === 9_999) behind = Math.max(behind, i - filter.estimateCount());
        yield i;
      }
    }
    filter.addMany(keys());
    expect(behind).toBeGreaterThan(0);
    expect(behind).toBeLessThan(5000);
    expect(filter.hasMany(keys())).toEqual(new Uint8Array(100_000).fill(1));
  });
});
