import { describe, expect, it } from 'vitest';
import { BloomFilter, type Key } from '../../src/index.ts';
import { text } from '../shared/stream-tools.ts';

const rare = { capacity: 10_000, errorRate: 1e-5 };
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `key ${i}`);

describe('iterables of keys', () => {
  it('are closed, and pass on their own error, after the keys before it were added', () => {
    let closed = 0;
    function* keys(fail: () => string): Generator<string> {
      try {
        yield 'a';
        yield fail();
      } finally {
        closed++;
      }
    }
    const gone = (): never => {
      throw new Error('the disk is gone');
    };
    for (const [fail, message] of [
      [() => 5.5 as unknown as string, 'keys[1] must be a safe integer'],
      [gone, 'the disk is gone'],
    ] as const) {
      const filter = new BloomFilter({ capacity: 10 });
      expect(() => filter.addMany(keys(fail))).toThrow(message);
      expect(filter.has('a')).toBe(true);
    }
    expect(closed).toBe(2);
  });

  it('are opened only if all other arguments are right, and closed once', () => {
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
    const filter = new BloomFilter({ capacity: 10 });
    expect(() => filter.addMany(keys, new Uint8Array(1))).toThrow(/^out needs a known number of keys/);
    expect(() => BloomFilter.from(keys as never)).toThrow(/^options\.capacity/);
    expect(log).toEqual([]);
    expect(() => filter.addMany(keys)).toThrow(/^keys\[0\] must be a safe integer/);
    expect(log).toEqual(['open', 'close']);
    filter.dispose();
    expect(() => filter.addMany(keys)).toThrow('after dispose()');
    expect(log).toEqual(['open', 'close']);
  });

  it('may use another filter, or the same one, while keys are read, and dispose of it', () => {
    const other = new BloomFilter({ capacity: 1000 });
    const filter = new BloomFilter(rare);
    function* keys(count: number): Generator<string> {
      for (let i = 0; i < count; i++) {
        other.addMany([`other ${i}`, 'long '.repeat(50)]);
        filter.has(`something else ${i}`);
        yield `key ${i}`;
      }
    }
    expect(filter.addMany(keys(2000)).equals(new BloomFilter(rare).addMany(names(2000)))).toBe(true);
    let closed = 0;
    function* last(): Generator<string> {
      try {
        yield* keys(1000);
        filter.dispose();
        yield* names(2000);
      } finally {
        closed++;
      }
    }
    expect(() => filter.addMany(last())).toThrow('after dispose()');
    expect(closed).toBe(1);
  });

  it('may be sets with an iterator of their own, which may add to the set', () => {
    const proxy = new Proxy(new Set(['a', 'b']), {
      get(target, property) {
        if (property !== Symbol.iterator) return Reflect.get(target, property, target);
        return function* () {
          yield* target;
          target.add('c');
          yield 'c';
        };
      },
    });
    expect(new BloomFilter(rare).dedupe(proxy)).toEqual(['a', 'b', 'c']);
    class Reversed extends Set<string> {
      override *[Symbol.iterator](): SetIterator<string> {
        yield* [...this.values()].reverse();
      }
    }
    expect(new BloomFilter(rare).dedupe(new Reversed(['a', 'b', 'c']))).toEqual(['c', 'b', 'a']);
  });

  it('may yield the same buffer with new content each time', () => {
    function* records(): Generator<Uint8Array> {
      const record = new Uint8Array(2);
      for (let i = 0; i < 500; i++) {
        record.set([i & 255, i >> 8]);
        yield record;
      }
    }
    const filter = new BloomFilter(rare);
    expect(filter.dedupe(records()).length).toBe(500);
    expect(filter.hasMany(records())).toEqual(new Uint8Array(500).fill(1));
    expect(filter.has(Uint8Array.of(5, 1))).toBe(true);
  });

  it('name the value of a set that is not a key, after the keys before it', () => {
    for (const wrong of [undefined, null, 0.5]) {
      const filter = new BloomFilter(rare);
      const set = new Set<unknown>([...names(2000), wrong, 'late']) as Set<Key>;
      expect(() => filter.addMany(set)).toThrow(/^keys\[2000\] must/);
      expect(filter.hasMany(new Set(names(2000)))).toEqual(new Uint8Array(2000).fill(1));
      expect(filter.has('late')).toBe(false);
    }
  });

  it.each<[string, number, number, (i: number) => Key]>([
    ['few long keys', 200, 10, (i) => (i % 2 ? `${i}`.padEnd(10_000) : text(`${i}`.padEnd(10_000)))],
    ['at most 768 keys', 3000, 850, (i) => i],
  ])('are read in windows, never as a whole: %s', (_, count, most, keyOf) => {
    const filter = new BloomFilter(rare);
    let behind = 0;
    function* keys(): Generator<Key> {
      for (let i = 0; i < count; i++) {
        behind = Math.max(behind, i - filter.estimateCount());
        yield keyOf(i);
      }
    }
    filter.addMany(keys());
    expect(behind).toBeGreaterThan(0);
    expect(behind).toBeLessThan(most);
    expect(filter.hasMany(keys())).toEqual(new Uint8Array(count).fill(1));
  });
});
