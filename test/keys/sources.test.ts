// Keys that a program gives one by one: when they are read, what it may do meanwhile, and what an error leaves.

import { beforeEach, describe, expect, it } from 'vitest';
import { by } from '../../src/entries/items.ts';
import { BloomFilter, type Key } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { range } from '../shared/integers.ts';
import { text } from '../shared/stream-tools.ts';

type KeyAt = (i: number) => Key;

const make = (): BloomFilter => new BloomFilter({ capacity: 10_000, errorRate: 1e-5 });
const nameAt = (i: number): string => `key ${i}`;
const names = (count: number): string[] => range(0, count).map(nameAt);

/** How often an iterator was closed. */
let closed = 0;
beforeEach(() => {
  closed = 0;
});
function* generated<T>(count: number, valueAt: (i: number) => T): Generator<T> {
  try {
    for (let i = 0; i < count; i++) yield valueAt(i);
  } finally {
    closed++;
  }
}
/** A set whose iterator is its own. */
class Generated extends Set<Key> {
  readonly #keys: () => Generator<Key>;
  readonly #count: number;
  constructor(count: number, keyAt: KeyAt) {
    super();
    this.#keys = () => generated(count, keyAt);
    this.#count = count;
  }
  override get size(): number {
    return this.#count;
  }
  override [Symbol.iterator](): SetIterator<Key> {
    return this.#keys() as object as SetIterator<Key>;
  }
}
function proxied(count: number, keyAt: KeyAt): Key[] {
  return new Proxy(new Array<Key>(count), {
    get: (target, name) => (/^\d+$/.test(String(name)) ? keyAt(Number(name)) : Reflect.get(target, name)),
  });
}

/** A form of `count` keys, and whether it is closed. */
interface Form {
  readonly name: string;
  readonly isClosed: boolean;
  keysOf(count: number, keyAt: KeyAt): object;
}
const arrays: readonly Form[] = [{ name: 'an array', isClosed: false, keysOf: proxied }];
const iterables: readonly Form[] = [
  { name: 'a set', isClosed: true, keysOf: (count, keyAt) => new Generated(count, keyAt) },
  { name: 'a generator', isClosed: true, keysOf: generated },
  { name: 'items of an array', isClosed: false, keysOf: (count, keyAt) => by(range(0, count), keyAt) },
  { name: 'items of a generator', isClosed: true, keysOf: (count, keyAt) => by(generated(count, Number), keyAt) },
];

describe.each([...arrays, ...iterables])('keys of $name', ({ keysOf, isClosed }) => {
  /** Adds keys in vain, and expects that those before the one at `at` were added. */
  function expectRefused(at: number, keyAt: KeyAt, error: unknown): void {
    const filter = make();
    closed = 0;
    expect(() => filter.addMany(keysOf(at + 2000, keyAt) as Key[])).toThrow(error as Error);
    expect(filter.equals(make().addMany(names(at)))).toBe(true);
    expect(closed).toBe(Number(isClosed));
  }

  it.each([0, 5, 767, 768, 1800, CHUNK_KEYS])('are read once and in order, up to a wrong one: %i', (at) => {
    for (const wrong of [undefined, null, {}, 1.5] as never[]) {
      const reads: number[] = [];
      const keyAt = (i: number): Key => {
        reads.push(i);
        return i === at ? wrong : nameAt(i);
      };
      const shown = wrong === 1.5 ? 'a safe integer' : 'a string, a Uint8Array, an integer or a bigint';
      expectRefused(at, keyAt, `keys[${at}] must be ${shown}`);
      expect(reads).toEqual(range(0, at + 1));
    }
  });

  it.each([0, 1500])('may fail: %i', (at) => {
    const failure = new Error('the disk is gone');
    const keyAt = (i: number): Key => {
      if (i === at) throw failure;
      return nameAt(i);
    };
    expectRefused(at, keyAt, failure);
  });

  it('may use filters while they are read, and dispose of the one that reads them', () => {
    const [filter, other] = [make(), make()];
    const busy = (i: number): Key => {
      other.addMany([`other ${i}`, 'long '.repeat(50)]);
      filter.has(`something else ${i}`);
      return nameAt(i);
    };
    expect(filter.addMany(keysOf(5000, busy) as Key[]).equals(make().addMany(names(5000)))).toBe(true);
    closed = 0;
    const last = (i: number): Key => {
      if (i === 1000) filter.dispose();
      return nameAt(i);
    };
    expect(() => filter.addMany(keysOf(5000, last) as Key[])).toThrow('after dispose()');
    expect(closed).toBe(Number(isClosed));
  });
});

describe.each(iterables)('keys of $name', ({ keysOf }) => {
  it.each<[string, number, number, KeyAt]>([
    ['few long keys', 200, 10, (i) => (i % 2 ? `${i}`.padEnd(10_000) : text(`${i}`.padEnd(10_000)))],
    ['at most 768 keys', 3000, 850, (i) => i],
  ])('are read ahead, never as a whole: %s', (_, count, most, keyOf) => {
    const filter = make();
    let behind = 0;
    const keyAt = (i: number): Key => {
      behind = Math.max(behind, i - filter.estimateCount());
      return keyOf(i);
    };
    filter.addMany(keysOf(count, keyAt) as Key[]);
    expect(behind).toBeGreaterThan(0);
    expect(behind).toBeLessThan(most);
    expect(filter.omit(range(0, count).map(keyOf))).toEqual([]);
  });

  it('may be the same buffer with new content each time', () => {
    const record = new Uint8Array(2);
    const keyAt = (i: number): Key => {
      record.set([i & 255, i >> 8]);
      return record;
    };
    const filter = make().addMany(keysOf(500, keyAt) as Key[]);
    expect(filter.hasMany(keysOf(500, keyAt) as Key[], undefined)).toEqual(new Uint8Array(500).fill(1));
    expect(filter.has(Uint8Array.of(5, 1))).toBe(true);
    expect(Math.round(filter.estimateCount())).toBe(500);
  });
});

describe('iterables of keys', () => {
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
    const filter = make();
    expect(() => filter.addMany(keys, new Uint8Array(1))).toThrow(/^out needs a known number of keys/);
    expect(() => BloomFilter.from(keys as never)).toThrow(/^options\.capacity/);
    expect(log).toEqual([]);
    expect(() => filter.addMany(keys)).toThrow(/^keys\[0\] must be a safe integer/);
    expect(log).toEqual(['open', 'close']);
    filter.dispose();
    expect(() => filter.addMany(keys)).toThrow('after dispose()');
    expect(log).toEqual(['open', 'close']);
  });
});
