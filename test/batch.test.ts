import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { column, type Key, KeyColumn, KeyLines, lines } from '../src/index.ts';
import { awkwardKeys } from './awkward.ts';
import { type AnyFilter, cellKinds } from './kinds.ts';
import { bytesOf } from './oracle.ts';

const text = (string: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(string);
const key = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.uint8Array({ maxLength: 6 }),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.constantFrom<Key>('', '\0', '\ud83d', '\ude00', 0, -1),
);
// Cast to one type, because the constructors of typed arrays have no type in common.
const integerTypes = [Uint32Array, Int32Array, BigUint64Array, BigInt64Array].map((Type) => ({
  Type: Type as object as typeof Uint32Array,
}));
const offsetTypes = integerTypes.filter(({ Type }) => Type.name !== 'BigUint64Array');

type ArrayType<A> = new (buffer: ArrayBuffer, byteOffset: number, length: number) => A;

/** An array whose memory was transferred away, as to a worker. */
function detached<A extends ArrayBufferView>(Type: ArrayType<A>): A {
  const array = new Type(new ArrayBuffer(32), 16, 2);
  structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
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

/** The methods that take many keys, so that one can be chosen. */
type VerbsOf = Record<'addMany' | 'hasMany' | 'pick' | 'omit' | 'dedupe', (keys: Uint32Array) => unknown>;

const keyList = fc.array(key, { maxLength: 40 });

describe.each(cellKinds)('batches: $name', ({ Filter, sized }) => {
  // Small enough for false positives in every run: the properties must hold for these too.
  const shape = { cells: 300, hashes: 3 };

  it('give the same flags as single keys', () => {
    fc.assert(
      fc.property(keyList, keyList, (first, second) => {
        using batch = sized(shape);
        using single = sized(shape);
        const added = new Uint8Array(first.length);
        batch.addMany(first, added);
        expect([...added]).toEqual(first.map((each) => (single.add(each) ? 1 : 0)));
        expect(batch.equals(single)).toBe(true);
        expect([...batch.hasMany(second)]).toEqual(second.map((each) => (single.has(each) ? 1 : 0)));
      }),
    );
  });

  it('never lose a key', () => {
    fc.assert(
      fc.property(keyList, (keys) => {
        using filter = Filter.from(keys);
        expect(filter.hasMany(keys).every((flag) => flag === 1)).toBe(true);
        expect(keys.every((each) => filter.has(each))).toBe(true);
      }),
    );
  });

  it('give the same flags for strings of any length, next to each other and to other keys', () => {
    const lengths = [0, 1, 30, 1023, 1024, 1025, 31_743, 31_744, 32_767, 32_768, 32_769, 100_000];
    const anyKey = fc.oneof(
      fc
        .tuple(fc.constantFrom(...lengths), fc.constantFrom('a', 'é', '漢', '😀', '\ud83d', '\ude00'))
        .map(([length, unit]) => unit.repeat(length).slice(0, length)),
      fc.constantFrom<Key>(7, 8n, new Uint8Array(5)),
    );
    fc.assert(
      fc.property(fc.array(anyKey, { maxLength: 12 }), (keys) => {
        using batch = sized(shape).addMany(keys);
        using iterated = sized(shape).addMany(keys.values());
        using single = sized(shape);
        for (const each of keys) single.add(each);
        expect(batch.equals(single)).toBe(true);
        expect(iterated.equals(single)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('hash strings as their bytes in UTF-8, one by one and together', () => {
    const units = [
      ...'a\x7f\x80é\u07ff\u0800漢\ud7ff\ue000\uffff😀\u{10000}\u{10ffff}',
      '\ud800',
      '\udbff',
      '\udc00',
      '\udfff',
    ];
    const strings = fc.array(fc.string({ unit: fc.constantFrom(...units), maxLength: 40 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom('漢', 'é', '\ud83d', 'a'), strings, (first, others) => {
        const keys = [first, ...others];
        using single = sized(shape);
        for (const each of keys) single.add(each);
        using batch = sized(shape).addMany(keys);
        using expected = sized(shape).addMany(keys.map(text));
        expect(single.equals(expected)).toBe(true);
        expect(batch.equals(expected)).toBe(true);
      }),
    );
  });

  it('hash a chunk full of the longest characters', () => {
    const keys = ['漢'.repeat(32), ...Array.from({ length: 3000 }, (_, i) => `${'漢'.repeat(30)}${i}`)];
    const filter = Filter.from(keys.map(text), { errorRate: 1e-5 });
    expect(filter.equals(Filter.from(keys, { errorRate: 1e-5 }))).toBe(true);
  });

  it('set the same bits with and without flags', () => {
    const keys = awkwardKeys(10_000, 3);
    const plain = new Filter({ capacity: 10_000 }).addMany(keys);
    const flagged = new Filter({ capacity: 10_000 }).addMany(keys, new Uint8Array(keys.length));
    expect(plain.equals(flagged)).toBe(true);
  });

  it('flag duplicates within one chunk as if added one by one', () => {
    const flags = new Uint8Array(5);
    new Filter({ capacity: 10 }).addMany(['a', 'b', 'a', 'a', 'b'], flags);
    expect([...flags]).toEqual([1, 1, 0, 0, 0]);
  });

  it('work across the boundaries of chunks and windows', () => {
    for (const count of [0, 1, 4095, 4096, 4097, 8192, 20_000]) {
      const keys = Array.from({ length: count }, (_, i) => `key ${i}`);
      const filter = Filter.from(keys);
      expect(filter.hasMany(keys)).toEqual(new Uint8Array(count).fill(1));
      expect(filter.pick(keys)).toEqual(keys);
      expect(new Filter({ capacity: 100_000, errorRate: 1e-5 }).dedupe([...keys, ...keys])).toEqual(keys);
    }
  });

  describe('out', () => {
    it('receives the flags, and a view of it is returned', () => {
      const filter = Filter.from(['a']);
      const out = new Uint8Array(5).fill(9);
      const view = filter.hasMany(['a', 'b', 'a'], out);
      expect([...out]).toEqual([1, 0, 1, 9, 9]);
      expect(view.buffer).toBe(out.buffer);
      expect([...view]).toEqual([1, 0, 1]);
    });

    it('may be a Buffer, part of another array, or shared', () => {
      const filter = Filter.from(['a']);
      const outs: Uint8Array[] = [
        Buffer.alloc(2),
        new Uint8Array(new ArrayBuffer(10), 3, 2),
        new Uint8Array(new SharedArrayBuffer(2)),
      ];
      for (const out of outs) {
        expect([...filter.hasMany(['a', 'b'], out)]).toEqual([1, 0]);
        expect([...out]).toEqual([1, 0]);
      }
    });

    it('is refused, before anything is added, if it is too short or the number of keys is unknown', () => {
      const filter = new Filter({ capacity: 10 });
      expect(() => filter.addMany(['a', 'b'], new Uint8Array(1))).toThrow(
        /^out must hold 2 flags or more, got 1 bytes$/,
      );
      expect(() => filter.addMany(lines(text('a\nb\n')), new Uint8Array(1))).toThrow(RangeError);
      expect(() => filter.addMany(new Map([['a', 1]]).keys(), new Uint8Array(9))).toThrow(TypeError);
      expect(filter.fillRatio()).toBe(0);
    });

    it('is never overrun, even by more keys than were announced', () => {
      class More extends Set<string> {
        override get size(): number {
          return 1;
        }
      }
      const out = new Uint8Array(1);
      expect(() => new Filter({ capacity: 10 }).hasMany(new More(['a', 'b']), out)).toThrow(RangeError);
    });
  });

  describe('pick, omit and dedupe', () => {
    const filter = Filter.from(['b', '', 2, 3, -1, 'ö'], { errorRate: 1e-5 });

    it('give an array for an array or an iterable', () => {
      expect(filter.pick(['a', 'b', 2, 2n, 4])).toEqual(['b', 2, 2n]);
      expect(filter.omit(['a', 'b', 2, 2n, 4])).toEqual(['a', 4]);
      expect(filter.pick(new Set(['a', 'b']))).toEqual(['b']);
      expect(new Filter({ capacity: 9 }).dedupe(['a', 'b', 'a'])).toEqual(['a', 'b']);
    });

    it('give the same objects as in an array', () => {
      const bytes = text('b');
      expect(filter.pick([bytes])[0]).toBe(bytes);
    });

    it.each([
      ['Uint32Array', Uint32Array, [1, 2, 3, 4], [2, 3]],
      ['Int32Array', Int32Array, [1, 2, -1, 4], [2, -1]],
    ])('give a %s for one', (_, Array32, given, picked) => {
      const result = filter.pick(new Array32(given));
      expect(result).toEqual(new Array32(picked));
      expect(result.constructor).toBe(Array32);
      expect(filter.omit(new Array32(picked))).toEqual(new Array32());
    });

    it.each([
      ['BigInt64Array', BigInt64Array, [1n, 2n, -1n, 4n], [2n, -1n]],
      ['BigUint64Array', BigUint64Array, [1n, 2n, 2n ** 64n - 1n], [2n, 2n ** 64n - 1n]],
    ])('give a %s for one', (_, Array64, given, picked) => {
      expect(filter.pick(new Array64(given))).toEqual(new Array64(picked));
    });

    it('give lines for lines, with their terminators', () => {
      const given = lines(text('a\r\nb\r\n\n\r\nb\nö\nx\nb'));
      const picked = filter.pick(given);
      expect(picked).toBeInstanceOf(KeyLines);
      expect(new TextDecoder().decode(picked.bytes)).toBe('b\r\n\n\r\nb\nö\nb');
      expect(new TextDecoder().decode(filter.omit(given).bytes)).toBe('a\r\nx\n');
      expect(picked.count()).toBe(6);
      expect(new TextDecoder().decode(filter.pick(lines(text('b\r\nb'), { crlf: false })).bytes)).toBe('b');
    });

    it('give a column for a column, with offsets of the same type', () => {
      for (const offsets of [
        Int32Array.of(1, 2, 3, 3, 5),
        Uint32Array.of(1, 2, 3, 3, 5),
        BigInt64Array.of(1n, 2n, 3n, 3n, 5n),
      ]) {
        const picked = filter.pick(column(text('-abö'), offsets));
        expect(picked).toBeInstanceOf(KeyColumn);
        expect(new TextDecoder().decode(picked.data)).toBe('bö');
        expect([...picked.offsets].map(Number)).toEqual([0, 1, 1, 3]);
        expect(picked.offsets.constructor).toBe(offsets.constructor);
        expect(picked.length).toBe(3);
      }
      expect(filter.pick(column(text('x'), new Int32Array())).length).toBe(0);
    });

    it('keep keys longer than the scratch', () => {
      const long = 'z'.repeat(150_000);
      const some = Filter.from([long, 'b'], { errorRate: 1e-5 });
      expect(some.pick(['a', long, 'b'])).toEqual([long, 'b']);
      expect(new TextDecoder().decode(some.pick(lines(text(`a\n${long}\r\nb\nc`))).bytes)).toBe(`${long}\r\nb\n`);
      const picked = some.pick(column(text(`a${long}b`), Int32Array.of(0, 1, 150_001, 150_002)));
      expect([...picked.offsets]).toEqual([0, 150_000, 150_001]);
      expect(some.omit(lines(text(`a\n${long}\nb`))).bytes).toEqual(text('a\n'));
    });

    it('agree with has for every source', () => {
      fc.assert(
        fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀'), maxLength: 3 })), (strings) => {
          using small = sized({ cells: 40, hashes: 2 }).addMany(['a', 'é']);
          const expected = strings.filter((each) => small.has(each));
          const joined = strings.map((each) => `${each}\n`).join('');
          const wanted = expected.map((each) => `${each}\n`).join('');
          expect(new TextDecoder().decode(small.pick(lines(text(joined))).bytes)).toBe(wanted);
          const offsets = [0];
          for (const each of strings) offsets.push((offsets.at(-1) ?? 0) + bytesOf(each).length);
          const picked = small.pick(column(text(strings.join('')), Int32Array.from(offsets)));
          expect(new TextDecoder().decode(picked.data)).toBe(expected.join(''));
          expect(picked.length).toBe(expected.length);
        }),
      );
    });
  });

  describe('that fail halfway', () => {
    it('have added the keys before the bad one, and name its position', () => {
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
      expect(() => filter.addMany(keys, new Uint8Array(1))).toThrow(/^out must be left out/);
      expect(() => Filter.from(keys)).toThrow(/^options\.capacity/);
      expect(log).toEqual([]);
      expect(() => filter.addMany(keys)).toThrow(/^keys\[0\] must be a safe integer/);
      expect(log).toEqual(['open', 'close']);
      filter.dispose();
      expect(() => filter.addMany(keys)).toThrow('after dispose()');
      expect(log).toEqual(['open', 'close']);
    });

    describe.each([
      ['detached', detached],
      ['out of bounds after its buffer was resized', outOfBounds],
    ])('refuse an array that is %s', (_, lose) => {
      const filter = new Filter({ capacity: 10 });
      const refuse = (call: () => unknown, wanted: string): void => {
        expect(call).toThrow(TypeError);
        expect(call).toThrow(/ must be .+, got an object \(\w+Array\) that is detached or out of bounds$/);
        expect(call).toThrow(`${wanted}, got `);
      };
      const bytes = lose(Uint8Array);

      it('as a key', () => {
        const wanted = 'must be a string, a Uint8Array, an integer or a bigint';
        refuse(() => filter.add(bytes), `key ${wanted}`);
        refuse(() => filter.has(bytes), `key ${wanted}`);
        refuse(() => filter.addMany(['a', bytes]), `keys[1] ${wanted}`);
        refuse(() => filter.addMany(new Set([bytes])), `keys[0] ${wanted}`);
      });

      it('as a text, when it is taken and when it is read', () => {
        refuse(() => lines(bytes), 'bytes must be a Uint8Array');
        refuse(() => filter.addMany(new KeyLines(bytes, true)), 'bytes must be a Uint8Array');
      });

      it('as flags', () => {
        refuse(() => filter.hasMany([], bytes), 'out must be a Uint8Array');
      });

      it.each(offsetTypes)('as a column, when it is taken and when it is read: $Type.name', ({ Type }) => {
        const wanted = 'offsets must be an Int32Array, Uint32Array or BigInt64Array';
        refuse(() => column(text('abc'), lose(Type)), wanted);
        refuse(() => filter.addMany(new KeyColumn(text('abc'), lose(Type))), wanted);
        refuse(() => column(bytes, new Type(1)), 'data must be a Uint8Array');
        refuse(() => filter.addMany(new KeyColumn(bytes, new Type(1))), 'data must be a Uint8Array');
      });

      it.each(integerTypes)('as integers: $Type.name', ({ Type }) => {
        const keys = lose(Type);
        const verbs = ['addMany', 'hasMany', 'pick', 'omit', 'dedupe'] as const;
        for (const verb of verbs)
          refuse(
            () => (filter as VerbsOf)[verb](keys),
            'keys must be an array or iterable of keys, an integer array, lines(bytes) or column(data, offsets)',
          );
        refuse(
          () => Filter.from(keys),
          'keys must be an array or iterable of keys, an integer array, lines(bytes) or column(data, offsets)',
        );
      });
    });

    it('take empty arrays, whose memory is there', () => {
      const filter = new Filter({ capacity: 10 });
      expect(filter.hasMany(['', new Uint8Array()]).length).toBe(2);
      expect(filter.hasMany([], new Uint8Array()).length).toBe(0);
      for (const { Type } of integerTypes) expect(filter.hasMany(new Type()).length).toBe(0);
      for (const { Type } of offsetTypes) expect(filter.hasMany(column(text('abc'), new Type())).length).toBe(0);
    });

    it('refuse lines and columns of anything but bytes', () => {
      const filter = new Filter({ capacity: 10 });
      expect(() => filter.addMany(new KeyLines('abc' as never, true))).toThrow(
        /^bytes must be a Uint8Array, got "abc"$/,
      );
      expect(() => filter.addMany(new KeyLines(text('abc'), 1 as never))).toThrow(/^options\.crlf must be a boolean/);
      expect(() => filter.addMany(new KeyColumn('abc' as never, Int32Array.of(0)))).toThrow(
        /^data must be a Uint8Array/,
      );
    });

    it('refuse offsets that decrease or lie outside the data', () => {
      const filter = new Filter({ capacity: 10 });
      for (const offsets of [
        [-1, 1],
        [0, 2, 1],
        [0, 1, 5],
        [3, 4],
        [0, 3, -2],
      ]) {
        expect(() => filter.addMany(column(text('abc'), Int32Array.from(offsets)))).toThrow(
          /^offsets\[\d+\] and offsets\[\d+\] must rise/,
        );
      }
      filter.clear();
      expect(() => filter.addMany(column(text('abc'), Int32Array.of(0, 1, 0)))).toThrow('offsets[1]');
      expect(filter.has('a')).toBe(true);
      expect(() => filter.addMany(column(text('abc'), BigInt64Array.of(0n, 2n ** 62n)))).toThrow(RangeError);
    });
  });

  describe('and user code', () => {
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

    it('may be in a proxy or a getter', () => {
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

    it('may replace the `slice` of an array', () => {
      const keys = Object.assign(['a', 'b'], { slice: () => ['x', 'y'] });
      expect(new Filter({ capacity: 10, errorRate: 1e-5 }).dedupe(keys)).toEqual(['a', 'b']);
    });

    it('may be a proxy of an empty array, or a getter that removes keys', () => {
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

    it('may be the iterator of a proxy of a set, which adds to the set', () => {
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

    it('may be the constructor of a class of arrays, which need not take a length', () => {
      class Words extends Array<string> {
        constructor(line: string) {
          super();
          for (const word of line.split(' ')) this.push(word);
        }
      }
      const filter = new Filter({ capacity: 10, errorRate: 1e-5 }).addMany(new Words('one two three'));
      expect(filter.dedupe(['three', 'two', 'four', 'one'])).toEqual(['four']);
    });

    it('may be the iterator of a class of sets', () => {
      class Reversed extends Set<string> {
        override *[Symbol.iterator](): SetIterator<string> {
          yield* [...this.values()].reverse();
        }
      }
      const filter = new Filter({ capacity: 10, errorRate: 1e-5 });
      expect(filter.dedupe(new Reversed(['a', 'b', 'c']))).toEqual(['c', 'b', 'a']);
    });

    it('may throw: the keys before have been added', () => {
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

    it('is not run by an array of integers, whatever its class overrides', () => {
      class Evil extends Uint32Array {
        override get length(): number {
          return 1000;
        }
        override get buffer(): ArrayBuffer {
          return new ArrayBuffer(4000);
        }
        override get byteOffset(): number {
          return 4;
        }
      }
      const filter = new Filter({ capacity: 100, errorRate: 1e-5 });
      expect([...filter.dedupe(new Evil([7, 8, 7]))]).toEqual([7, 8]);
      expect(filter.equals(new Filter({ capacity: 100, errorRate: 1e-5 }).addMany([7, 8, 7]))).toBe(true);
    });

    it('never runs between two steps that share memory', () => {
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

  it('return the bytes of a set as copies, and those of an array as they are', () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const filter = new Filter({ capacity: 10 });
    expect(filter.omit([bytes])[0]).toBe(bytes);
    const [copy] = filter.omit(new Set([bytes]));
    expect(copy).toEqual(bytes);
    expect(copy).not.toBe(bytes);
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
