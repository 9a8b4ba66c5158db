// Arrays that users give: of keys, of integers and of flags, those whose memory is lost, and what pick, omit and dedupe make
// of them. test/filters/every-kind.test.ts has the flags of all kinds.

import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { FEW } from '../../src/filters/batch.ts';
import { BloomFilter, column, type Key, KeyColumn, KeyLines, lines } from '../../src/index.ts';
import { range } from '../shared/integers.ts';
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
    for (const [count, at, left, length] of [
      [4, 1, 2, 0],
      [2000, 500, 100, 0],
      [300, 150, 80, 300],
    ] as const) {
      const keys = names(count).map((name) => name.padEnd(length));
      const before = keys.slice(0, at + 1);
      Object.defineProperty(keys, at, {
        configurable: true,
        get() {
          keys.length = left;
          return before[at];
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
    expect([...make().hasMany(['a'], evil(new Uint8Array(1)))]).toEqual([0]);
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

it.each([
  [Uint32Array.of(1, 2, 3, 4), Uint32Array.of(2, 3)],
  [Int32Array.of(1, 2, -1, 4), Int32Array.of(2, -1)],
  [BigInt64Array.of(1n, 2n, -1n, -2n, 4n), BigInt64Array.of(2n, -1n, -2n)],
  [BigUint64Array.of(1n, 2n, 2n ** 64n - 1n), BigUint64Array.of(2n, 2n ** 64n - 1n)],
])('arrays of integers as keys give an array of their type: %o', (given, wanted) => {
  const filter = BloomFilter.from(['b', 2, 3, -1, 2n ** 64n - 2n], { errorRate: 1e-5 });
  const picked = filter.pick(given as Uint32Array);
  expect(picked).toEqual(wanted);
  expect(picked.constructor).toBe(given.constructor);
  expect(filter.omit(wanted as Uint32Array).length).toBe(0);
  // A part of a buffer, without the first.
  expect(filter.pick((given as Uint32Array).subarray(1))).toEqual(wanted);
  expect(filter.omit((given as Uint32Array).subarray(0, 1))).toEqual(given.subarray(0, 1));
});

describe('flags of many keys', () => {
  it('are in `out`, of which a view is returned', () => {
    const filter = BloomFilter.from(['a']);
    const shared = new Uint8Array(new SharedArrayBuffer(5));
    for (const out of [Buffer.alloc(5), new Uint8Array(new ArrayBuffer(10), 3, 5), shared] as Uint8Array[]) {
      const view = filter.hasMany(['a', 'b', 'a'], out.fill(9));
      expect([...out]).toEqual([1, 0, 1, 9, 9]);
      expect([view.buffer, ...view]).toEqual([out.buffer, 1, 0, 1]);
      const exact = out.subarray(0, 3);
      for (const keys of [['b', 'a', 'b'], new Set(['b', 'a', 'c'])]) expect(filter.hasMany(keys, exact)).toBe(exact);
      expect([...out]).toEqual([0, 1, 0, 9, 9]);
    }
  });

  it('are in a new array, even if there are none', () => {
    const filter = BloomFilter.from(['a']);
    expect(filter.hasMany([])).not.toBe(filter.hasMany([]));
    expect(filter.hasMany(new Set<string>())).not.toBe(filter.hasMany(new Set<string>()));
    expect(filter.pick(lines(text('b\n'))).bytes).not.toBe(filter.pick(lines(text('b\n'))).bytes);
    for (const out of [new Int8Array(9), new Uint16Array(9), Array.from([1, 2, 3])] as never[]) {
      expect(() => filter.hasMany(['a'], out)).toThrow(/^out must be a Uint8Array, got/);
      expect(() => filter.addMany(['a'], out)).toThrow(/^out must be a Uint8Array, got/);
    }
  });

  it('refuse an `out` that is too short, or for an unknown number of keys, before anything is added', () => {
    const filter = new BloomFilter({ capacity: 10 });
    const out = new Uint8Array(1);
    expect(() => filter.addMany(['a', 'b'], out)).toThrow(/^out must have a length of 2 or more, got 1$/);
    expect(() => filter.addMany(lines(text('a\nb\n')), out)).toThrow(RangeError);
    expect(() => filter.addMany(new Map([['a', 1]]).keys(), new Uint8Array(9))).toThrow(TypeError);
    expect(filter.fillRatio()).toBe(0);
    // More keys than were announced.
    class More extends Set<string> {
      override get size(): number {
        return 1;
      }
    }
    expect(() => filter.hasMany(new More(['a', 'b']), out)).toThrow(RangeError);
  });
});

it('pick, omit and dedupe give an array, with the objects of an array, and copies of the bytes of a set', () => {
  const filter = BloomFilter.from(['b', '', 2, 3, -1, 'ö'], { errorRate: 1e-5 });
  expect(filter.pick(['a', 'b', 2, 2n, 4])).toEqual(['b', 2, 2n]);
  expect(filter.omit(new Set(['a', 'b', 2, 2n, 4]))).toEqual(['a', 4]);
  expect(new BloomFilter({ capacity: 9 }).dedupe(['a', 'b', 'a'])).toEqual(['a', 'b']);
  const bytes = text('b');
  expect(filter.pick([bytes])[0]).toBe(bytes);
  const [copy] = filter.pick(new Set([bytes]));
  expect(copy).toEqual(bytes);
  expect(copy).not.toBe(bytes);
});

const integerTypes = [Uint32Array, Int32Array, BigUint64Array, BigInt64Array].map((Type) => ({
  Type: Type as object as typeof Uint32Array,
}));
const offsetTypes = integerTypes.filter(({ Type }) => Type.name !== 'BigUint64Array');

type ArrayType<A> = new (buffer: ArrayBuffer, byteOffset: number, length: number) => A;

function takeAway(array: ArrayBufferView): void {
  structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
}

/** An array whose memory was transferred away, as to a worker. */
function detached<A extends ArrayBufferView>(Type: ArrayType<A>): A {
  const array = new Type(new ArrayBuffer(32), 16, 2);
  takeAway(array);
  return array;
}

/** An array behind the end of its buffer, which was made smaller. */
function outOfBounds<A extends ArrayBufferView>(Type: ArrayType<A>): A {
  // TypeScript's library of this target does not know that buffers can be resized.
  const options: object = { maxByteLength: 32 };
  const buffer: ArrayBuffer & { resize?(length: number): void } = Reflect.construct(ArrayBuffer, [32, options]);
  const array = new Type(buffer, 16, 2);
  buffer.resize?.(16);
  expect(array.byteLength).toBe(0);
  return array;
}

const verbs = ['addMany', 'hasMany', 'pick', 'omit', 'dedupe'] as const;
/** The methods that take many keys, so that one can be chosen. */
type Verbs = Record<(typeof verbs)[number], (keys: Uint32Array) => unknown>;

describe('a key whose memory a later key takes away', () => {
  const COUNT = 3000;
  const bytesOf = (i: number): Uint8Array<ArrayBuffer> => text(`bytes ${i}`);
  /** Keys of which reading the one at `taker` takes away the memory of the one at `lost`. */
  function keysWith(lost: number, taker: number, keyAt: (i: number) => Key): Key[] {
    const keys = Array.from({ length: COUNT }, (_, i) => (i === lost ? bytesOf(i) : keyAt(i)));
    const taken = keys[lost] as Uint8Array<ArrayBuffer>;
    const value = keys[taker] as Key;
    return Object.defineProperty(keys, taker, {
      get() {
        if (taken.length > 0) takeAway(taken);
        return value;
      },
    });
  }

  it.each([
    ['the first, among bytes', 0, 1, bytesOf],
    ['among bytes', 500, 501, bytesOf],
    ['far behind, among bytes', 2000, 2200, bytesOf],
    ['among strings', 100, 700, (i: number) => `key ${i}`],
    ['among keys of all types', 1000, 1500, (i: number) => [`key ${i}`, i, BigInt(i), bytesOf(i)][i % 4] as Key],
  ])('is named, and the keys before it are processed: %s', (_, lost, taker, keyAt) => {
    const refuse = (call: () => unknown): void => {
      expect(call).toThrow(TypeError);
      expect(call).toThrow(new RegExp(`^keys\\[${lost}\\] must be a string, .* that is detached or out of bounds$`));
    };
    const make = (): BloomFilter => new BloomFilter({ capacity: 5000 });
    const wanted = make().addMany(Array.from({ length: lost }, (_, i) => keyAt(i)));
    for (const verb of ['addMany', 'dedupe'] as const) {
      const filter = make();
      refuse(() => filter[verb](keysWith(lost, taker, keyAt)));
      expect(filter.equals(wanted)).toBe(true);
    }
    const flags = new Uint8Array(COUNT).fill(7);
    refuse(() => wanted.hasMany(keysWith(lost, taker, keyAt), flags));
    expect(flags).toEqual(new Uint8Array(COUNT).fill(7).fill(1, 0, lost));
    for (const verb of ['pick', 'omit'] as const) refuse(() => wanted[verb](keysWith(lost, taker, keyAt)));
  });

  it('is named if it is long', () => {
    const long = new Uint8Array(200_000).fill(1);
    const get = () => (long.length > 0 ? takeAway(long) : 2);
    const keys = Object.defineProperty([0, long, ...range(2, FEW + 1)], 2, { get });
    const filter = new BloomFilter({ capacity: 10 });
    expect(() => filter.addMany(keys)).toThrow(/^keys\[1\] must be .* that is detached or out of bounds$/);
    expect(filter.equals(new BloomFilter({ capacity: 10 }).addMany([0]))).toBe(true);
  });
});

const ways = Object.entries({ detached, 'out of bounds after its buffer was resized': outOfBounds });
it.each(ways)('an array that is %s is refused', (_, lose) => {
  const filter = new BloomFilter({ capacity: 10 });
  const refuse = (call: () => unknown, wanted: string): void => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(/ must be .+, got an object \(\w+Array\) that is detached or out of bounds$/);
    expect(call).toThrow(`${wanted}, got `);
  };
  const bytes = lose(Uint8Array);
  const key = 'must be a string, a Uint8Array, an integer or a bigint';
  refuse(() => filter.add(bytes), `key ${key}`);
  refuse(() => filter.has(bytes), `key ${key}`);
  refuse(() => filter.addMany(['a', bytes]), `keys[1] ${key}`);
  refuse(() => filter.addMany(new Set([bytes])), `keys[0] ${key}`);
  // When it is taken, and when it is read.
  refuse(() => lines(bytes), 'bytes must be a Uint8Array');
  refuse(() => filter.addMany(new KeyLines(bytes, true)), 'bytes must be a Uint8Array');
  refuse(() => filter.hasMany([], bytes), 'out must be a Uint8Array');
  for (const { Type } of offsetTypes) {
    const offsets = 'offsets must be an Int32Array, Uint32Array or BigInt64Array';
    refuse(() => column(text('abc'), lose(Type)), offsets);
    refuse(() => filter.addMany(new KeyColumn(text('abc'), lose(Type))), offsets);
    refuse(() => column(bytes, new Type(1)), 'data must be a Uint8Array');
    refuse(() => filter.addMany(new KeyColumn(bytes, new Type(1))), 'data must be a Uint8Array');
  }
  const keys = 'keys must be an array or iterable of keys, an integer array, lines(bytes) or column(data, offsets)';
  for (const { Type } of integerTypes) {
    for (const verb of verbs) refuse(() => (filter as Verbs)[verb](lose(Type)), keys);
    refuse(() => BloomFilter.from(lose(Type)), keys);
  }
});

it('an empty array is not taken for one without memory', () => {
  const filter = new BloomFilter({ capacity: 10 });
  expect(filter.hasMany(['', new Uint8Array()], new Uint8Array(2)).length).toBe(2);
  expect(filter.hasMany([], new Uint8Array()).length).toBe(0);
  for (const { Type } of integerTypes) expect(filter.hasMany(new Type()).length).toBe(0);
  for (const { Type } of offsetTypes) expect(filter.hasMany(column(text('abc'), new Type())).length).toBe(0);
});
