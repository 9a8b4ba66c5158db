import { describe, expect, it } from 'vitest';
import { column, type Key, KeyColumn, KeyLines, lines } from '../../src/index.ts';
import { combinableKinds } from '../shared/kinds.ts';
import { text } from '../shared/stream-tools.ts';

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

describe.each(combinableKinds)('keys whose memory is lost: $name', ({ Filter }) => {
  describe('because a later key takes it away', () => {
    const bytesOf = (i: number): Uint8Array<ArrayBuffer> => new Uint8Array(text(`bytes ${i}`));
    /** 3000 keys. Reading the one at `taker` takes away the memory of the one at `lost`. */
    function keysWith(lost: number, taker: number, keyAt: (i: number) => Key): Key[] {
      const keys = Array.from({ length: 3000 }, (_, i) => (i === lost ? bytesOf(i) : keyAt(i)));
      const taken = keys[lost] as Uint8Array<ArrayBuffer>;
      const value = keys[taker] as Key;
      return Object.defineProperty(keys, taker, {
        get() {
          if (taken.length > 0) structuredClone(taken.buffer, { transfer: [taken.buffer] });
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
    ])('are named, and the keys before them are processed: %s', (_, lost, taker, keyAt) => {
      const message = new RegExp(`^keys\\[${lost}\\] must be a string, .* that is detached or out of bounds$`);
      const before = Array.from({ length: lost }, (_, i) => keyAt(i));
      const wanted = new Filter({ capacity: 5000 }).addMany(before);
      for (const verb of ['addMany', 'dedupe'] as const) {
        const filter = new Filter({ capacity: 5000 });
        expect(() => filter[verb](keysWith(lost, taker, keyAt))).toThrow(TypeError);
        expect(filter.equals(wanted)).toBe(true);
        const again = new Filter({ capacity: 5000 });
        expect(() => again[verb](keysWith(lost, taker, keyAt))).toThrow(message);
      }
      const flags = new Uint8Array(3000).fill(7);
      expect(() => wanted.hasMany(keysWith(lost, taker, keyAt), flags)).toThrow(message);
      expect(flags.subarray(0, lost)).toEqual(new Uint8Array(lost).fill(1));
      expect(flags.subarray(lost)).toEqual(new Uint8Array(3000 - lost).fill(7));
      for (const verb of ['pick', 'omit'] as const) {
        expect(() => wanted[verb](keysWith(lost, taker, keyAt))).toThrow(message);
      }
    });

    it('are named if they are long', () => {
      const long = new Uint8Array(200_000).fill(1);
      const keys: Key[] = Object.defineProperty([0, long, 2], 2, {
        get: () => (long.length > 0 ? structuredClone(long.buffer, { transfer: [long.buffer] }).byteLength : 2),
      });
      const filter = new Filter({ capacity: 10 });
      expect(() => filter.addMany(keys)).toThrow(/^keys\[1\] must be .* that is detached or out of bounds$/);
      expect(filter.equals(new Filter({ capacity: 10 }).addMany([0]))).toBe(true);
    });
  });

  describe.each([
    ['detached', detached],
    ['out of bounds after its buffer was resized', outOfBounds],
  ])('an array that is %s is refused', (_, lose) => {
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

  it('are not taken for empty arrays, whose memory is there', () => {
    const filter = new Filter({ capacity: 10 });
    expect(filter.hasMany(['', new Uint8Array()]).length).toBe(2);
    expect(filter.hasMany([], new Uint8Array()).length).toBe(0);
    for (const { Type } of integerTypes) expect(filter.hasMany(new Type()).length).toBe(0);
    for (const { Type } of offsetTypes) expect(filter.hasMany(column(text('abc'), new Type())).length).toBe(0);
  });
});
