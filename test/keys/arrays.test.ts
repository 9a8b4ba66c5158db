import { describe, expect, it } from 'vitest';
import { column, type Key, lines } from '../../src/index.ts';
import { type AnyFilter, combinableKinds } from '../shared/kinds.ts';
import { text } from '../shared/stream-tools.ts';

describe.each(combinableKinds)('arrays of keys: $name', ({ Filter, sized }) => {
  it('that fail halfway have added the keys before the bad one, and name its position', () => {
    const filter = new Filter({ capacity: 100_000 });
    const keys: unknown[] = Array.from({ length: 10_000 }, (_, i) => `key ${i}`);
    keys[9000] = null;
    expect(() => filter.addMany(keys as Key[])).toThrow(/^keys\[9000\] must be a string, .*, got null$/);
    expect(filter.hasMany(keys.slice(0, 9000) as Key[]).every((flag) => flag === 1)).toBe(true);
    expect(filter.has('key 9001')).toBe(false);
  });

  it.each([
    ['a hole at the beginning', Object.assign(new Array(2), { 1: 'b' }), 0, TypeError],
    ['a hole in the middle', Object.assign(new Array(3), { 0: 'a', 2: 'b' }), 1, TypeError],
    ['undefined', ['a', undefined], 1, TypeError],
    ['a fraction', ['a', 1.5], 1, RangeError],
    ['NaN', ['a', Number.NaN], 1, RangeError],
    ['an unsafe integer', ['a', 2 ** 53], 1, RangeError],
    ['a bigint above 64 bits', ['a', 2n ** 64n], 1, RangeError],
    ['a bigint below 64 bits', ['a', -(2n ** 63n) - 1n], 1, RangeError],
    ['an array', ['a', ['b']], 1, TypeError],
    ['a Uint16Array', ['a', new Uint16Array(1)], 1, TypeError],
    ['a boolean', ['a', true], 1, TypeError],
    ['a symbol', ['a', Symbol('b')], 1, TypeError],
  ])('name the position of what is not a key: %s', (_, keys, position, error) => {
    const filter = new Filter({ capacity: 10 });
    expect(() => filter.addMany(keys as Key[])).toThrow(error);
    expect(() => filter.hasMany(keys as Key[])).toThrow(`keys[${position}] must be `);
    expect(filter.has('a')).toBe(position === 1);
    expect(filter.has('b')).toBe(false);
  });

  it('may be in a proxy, or contain a getter', () => {
    const other = new Filter({ capacity: 1000 });
    const expected = Array.from({ length: 9000 }, (_, i) => `key ${i}`);
    let reads = 0;
    const proxy = new Proxy(expected, {
      get(target, property, receiver) {
        other.add(`read ${reads++}`);
        return Reflect.get(target, property, receiver);
      },
    });
    const filter = new Filter({ capacity: 9000 }).addMany(proxy);
    expect(filter.equals(Filter.from(expected))).toBe(true);
    expect(reads).toBeGreaterThan(9000);
    const evil = new Uint8Array([1, 2, 3]);
    Object.defineProperty(evil, 'length', { get: () => other.add('never read') });
    expect(new Filter({ capacity: 10 }).addMany([evil]).has(new Uint8Array([1, 2, 3]))).toBe(true);
  });

  it('may have a `slice` of their own', () => {
    const keys = Object.assign(['a', 'b'], { slice: () => ['x', 'y'] });
    expect(new Filter({ capacity: 10, errorRate: 1e-5 }).dedupe(keys)).toEqual(['a', 'b']);
  });

  it('may be a proxy of an empty array, or have a getter that removes keys', () => {
    const proxy = new Proxy([] as string[], {
      get: (target, property) =>
        property === 'length'
          ? 3
          : /^\d$/.test(String(property))
            ? `key ${String(property)}`
            : Reflect.get(target, property),
    });
    const filter = new Filter({ capacity: 100, errorRate: 1e-5 });
    expect(filter.dedupe(proxy)).toEqual(['key 0', 'key 1', 'key 2']);
    const shrinking = ['a', 'b', 'c', 'd'];
    Object.defineProperty(shrinking, 1, {
      get() {
        shrinking.length = 2;
        return 'b';
      },
    });
    expect(filter.dedupe(shrinking)).toEqual(['a', 'b']);
    const long = Array.from({ length: 2000 }, (_, i) => `key ${i}`);
    const before = long.slice(0, 501);
    Object.defineProperty(long, 500, {
      configurable: true,
      get() {
        long.length = 100;
        return 'key 500';
      },
    });
    expect(filter.omit(long)).toEqual(before.filter((key) => !filter.has(key)));
  });

  it('may be a proxy whose length is not a number of keys', () => {
    for (const length of [Number.NaN, -1, undefined, 'x']) {
      const proxy = new Proxy(['a', 'b'], {
        get: (target, property) => (property === 'length' ? length : Reflect.get(target, property)),
      });
      expect(new Filter({ capacity: 10 }).dedupe(proxy)).toEqual([]);
    }
  });

  it('may change what it gives: each key of an array is read once, in order, up to the one that is wrong', () => {
    const reads: string[] = [];
    const strings: unknown[] = Array.from({ length: 9000 }, (_, i) => `key ${i}`);
    strings[8000] = null;
    const proxy = new Proxy(strings, {
      get(target, property, receiver) {
        if (typeof property === 'string' && property !== 'length') reads.push(property);
        const value: unknown = Reflect.get(target, property, receiver);
        if (typeof value === 'string') Reflect.set(target, property, 'something else');
        return value;
      },
    });
    const filter = new Filter({ capacity: 9000, errorRate: 1e-5 });
    expect(() => filter.addMany(proxy as Key[])).toThrow(/^keys\[8000\] must be a string, .*, got null$/);
    expect(reads).toEqual(Array.from({ length: 8001 }, (_, i) => `${i}`));
    const expected = Array.from({ length: 8000 }, (_, i) => `key ${i}`);
    expect(filter.equals(new Filter({ capacity: 9000, errorRate: 1e-5 }).addMany(expected))).toBe(true);
  });

  it('may have a class whose constructor takes no length', () => {
    class Words extends Array<string> {
      constructor(line: string) {
        super();
        for (const word of line.split(' ')) this.push(word);
      }
    }
    const filter = new Filter({ capacity: 10, errorRate: 1e-5 }).addMany(new Words('one two three'));
    expect(filter.dedupe(['three', 'two', 'four', 'one'])).toEqual(['four']);
  });

  it('may have a getter that throws: the keys before have been added', () => {
    const keys = Array.from({ length: 6000 }, (_, i) => `key ${i}`);
    Object.defineProperty(keys, 5000, {
      get() {
        throw new Error('the disk is gone');
      },
    });
    const filter = new Filter({ capacity: 6000, errorRate: 1e-5 });
    expect(() => filter.addMany(keys)).toThrow('the disk is gone');
    const expected = Array.from({ length: 5000 }, (_, i) => `key ${i}`);
    expect(filter.equals(new Filter({ capacity: 6000, errorRate: 1e-5 }).addMany(expected))).toBe(true);
  });

  it('run no user code between two steps that share memory', () => {
    const shape = { cells: 4096, hashes: 7 };
    const attacks: ((strike: () => void) => (filter: AnyFilter) => unknown)[] = [
      (strike) => {
        class Evil extends Uint8Array {
          override get buffer(): ArrayBuffer {
            strike();
            return super.buffer as ArrayBuffer;
          }
        }
        return (filter) => [filter.add(new Evil(100_000)), filter.addMany([new Evil(100_000)])];
      },
      (strike) => {
        let reads = 0;
        const proxy = new Proxy(lines(text('a\nb\n'.repeat(50_000))), {
          get(target, property) {
            if (++reads > 2) strike();
            return Reflect.get(target, property);
          },
        });
        return (filter) => filter.addMany(proxy);
      },
      (strike) => {
        let reads = 0;
        const proxy = new Proxy(column(new Uint8Array(100_000), Int32Array.of(0, 50_000, 100_000)), {
          get(target, property) {
            if (++reads > 2) strike();
            return Reflect.get(target, property, target);
          },
        });
        return (filter) => filter.addMany(proxy);
      },
    ];
    for (const attack of attacks) {
      const filter = sized(shape);
      let other: AnyFilter | undefined;
      const use = attack(() => {
        if (other) return;
        filter.dispose();
        // Takes the memory that the filter had.
        other = sized(shape);
      });
      try {
        use(filter);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
      }
      expect(other?.fillRatio() ?? 0).toBe(0);
    }
  });

  it('take keys of other realms, and Buffers', async () => {
    const { runInNewContext } = await import('node:vm');
    const foreign: unknown = runInNewContext('new Uint8Array([97, 98])');
    expect(foreign).not.toBeInstanceOf(Uint8Array);
    const filter = Filter.from(['ab', 'cd']);
    expect(filter.has(foreign as Uint8Array)).toBe(true);
    expect(filter.has(Buffer.from('cd'))).toBe(true);
    expect(filter.pick(runInNewContext('["ab", "ef"]') as string[])).toEqual(['ab']);
    const numbers: unknown = runInNewContext('new Uint32Array([1, 2])');
    expect([...filter.hasMany(numbers as Uint32Array)]).toEqual([0, 0]);
  });
});
