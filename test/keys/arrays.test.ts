import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { BloomFilter, column, type Key, lines } from '../../src/index.ts';
import { text } from '../shared/stream-tools.ts';

const rare = { capacity: 10_000, errorRate: 1e-5 };
const make = () => new BloomFilter(rare);
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `key ${i}`);

describe('arrays of keys', () => {
  it.each([
    ['a hole at the beginning', Object.assign(new Array(2), { 1: 'b' }), 0, TypeError],
    ['a hole in the middle', Object.assign(new Array(3), { 0: 'a', 2: 'b' }), 1, TypeError],
    ['an unsafe integer', ['a', 2 ** 53], 1, RangeError],
    ['a bigint above 64 bits', ['a', 2n ** 64n], 1, RangeError],
    ['a bigint below 64 bits', ['a', -(2n ** 63n) - 1n], 1, RangeError],
  ])('name the position of what is not a key: %s', (_, keys, position, error) => {
    const filter = new BloomFilter({ capacity: 10 });
    expect(() => filter.addMany(keys as Key[])).toThrow(error);
    expect(() => filter.hasMany(keys as Key[])).toThrow(`keys[${position}] must be `);
    expect(filter.has('a')).toBe(position === 1);
    expect(filter.has('b')).toBe(false);
  });

  it('may be a proxy of an empty array, or of any length', () => {
    const proxyOf = (length: unknown): string[] =>
      new Proxy([] as string[], {
        get: (target, property) =>
          property === 'length'
            ? length
            : /^\d$/.test(String(property))
              ? `key ${String(property)}`
              : Reflect.get(target, property),
      });
    expect(make().dedupe(proxyOf(3))).toEqual(['key 0', 'key 1', 'key 2']);
    expect(make().dedupe(Object.assign(['a', 'b'], { slice: () => ['x'] }))).toEqual(['a', 'b']);
    for (const length of [Number.NaN, -1, undefined, 'x']) expect(make().dedupe(proxyOf(length))).toEqual([]);
  });

  it('may have a getter that removes keys', () => {
    const filter = make();
    for (const [count, at, left] of [
      [4, 1, 2],
      [2000, 500, 100],
    ] as const) {
      const keys = names(count);
      const before = keys.slice(0, at + 1);
      Object.defineProperty(keys, at, {
        configurable: true,
        get() {
          keys.length = left;
          return `key ${at}`;
        },
      });
      expect(filter.omit(keys)).toEqual(before);
    }
  });

  it('run no getters of typed arrays', () => {
    const evil = <T extends object>(array: T): T => {
      for (const name of ['length', 'buffer', 'byteOffset']) {
        Object.defineProperty(array, name, { get: () => expect.unreachable(name) });
      }
      return array;
    };
    expect([...make().dedupe(evil(Uint32Array.of(7, 8, 7)))]).toEqual([7, 8]);
    for (const length of [3, 100_000]) {
      const filter = make().addMany([evil(new Uint8Array(length))]);
      expect(filter.has(new Uint8Array(length))).toBe(true);
      expect(filter.has(evil(new Uint8Array(length)))).toBe(true);
    }
  });

  it.each([
    ['lines', lines(text('a\nb\n'.repeat(50_000)))],
    ['a column', column(new Uint8Array(100_000), Int32Array.of(0, 50_000, 100_000))],
  ])('run no user code between two steps that share memory: %s', (_, keys) => {
    const filter = new BloomFilter({ bits: 4096, hashes: 7 });
    let other: BloomFilter | undefined;
    let reads = 0;
    const proxy = new Proxy(keys, {
      get(target, property) {
        if (++reads > 2 && !other) {
          filter.dispose();
          // Takes the memory that the filter had.
          other = new BloomFilter({ bits: 4096, hashes: 7 });
        }
        return Reflect.get(target, property, target);
      },
    });
    try {
      filter.addMany(proxy);
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError);
    }
    expect(other?.fillRatio() ?? 0).toBe(0);
  });

  it('take keys of other realms, and Buffers', () => {
    const foreign = <T>(code: string): T => runInNewContext(code) as T;
    expect(foreign('new Uint8Array(1)')).not.toBeInstanceOf(Uint8Array);
    const filter = BloomFilter.from(['ab', 'cd'], rare);
    expect(filter.has(foreign<Uint8Array>('new Uint8Array([97, 98])'))).toBe(true);
    expect(filter.has(Buffer.from('cd'))).toBe(true);
    expect(filter.pick(foreign<string[]>('["ab", "ef"]'))).toEqual(['ab']);
    expect([...filter.hasMany(foreign<Uint32Array>('new Uint32Array([1, 2])'))]).toEqual([0, 0]);
  });
});

describe('arrays of integers as keys', () => {
  const filter = BloomFilter.from(['b', 2, 3, -1, 2n ** 64n - 2n], { errorRate: 1e-5 });

  it.each([
    [Uint32Array.of(1, 2, 3, 4), Uint32Array.of(2, 3)],
    [Int32Array.of(1, 2, -1, 4), Int32Array.of(2, -1)],
    [BigInt64Array.of(1n, 2n, -1n, -2n, 4n), BigInt64Array.of(2n, -1n, -2n)],
    [BigUint64Array.of(1n, 2n, 2n ** 64n - 1n), BigUint64Array.of(2n, 2n ** 64n - 1n)],
  ])('give an array of their type: %o', (given, wanted) => {
    const picked = filter.pick(given as Uint32Array);
    expect(picked).toEqual(wanted);
    expect(picked.constructor).toBe(given.constructor);
    expect(filter.omit(wanted as Uint32Array).length).toBe(0);
  });
});
