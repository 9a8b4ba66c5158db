import { describe, expect, it } from 'vitest';
import { GuavaBloomFilter } from '../../src/entries/guava.ts';
import { KIND } from '../../src/filters/kind.ts';
import type { GuavaStrategy } from '../../src/foreign/guava/filter.ts';
import { column, type Key, lines } from '../../src/index.ts';
import { integersFrom } from '../shared/integers.ts';
import { playVectors, readVectors, type Vector } from './vectors.ts';

type Funnel = 'string' | 'chars' | 'bytes' | 'int' | 'long';
type GuavaVector = Vector & Readonly<{ strategyName: GuavaStrategy; funnel: Funnel }>;

type Size = Readonly<Record<'n' | 'p' | 'requestedBits' | 'k_until_33_3' | 'k_since_33_4_0', number>>;

const { sizing, vectors } = readVectors<{ sizing: readonly Size[]; vectors: readonly GuavaVector[] }>('guava');

const readingOptionsOf = ({ funnel }: GuavaVector) => ({
  numbers: funnel === 'int' ? ('int' as const) : undefined,
  strings: funnel === 'chars' ? ('chars' as const) : undefined,
});

const OPTIONS = { capacity: 100, errorRate: 0.01 };

playVectors(vectors, {
  make: (one) =>
    new GuavaBloomFilter({ bits: one.m, hashes: one.k, strategy: one.strategyName, ...readingOptionsOf(one) }),
  load: (bytes, vector) => GuavaBloomFilter.fromBytes(bytes, readingOptionsOf(vector)),
  save: (filter) => filter.toChunks(),
});

describe('a filter of Guava', () => {
  it('has the sizes of all versions', () => {
    for (const { n, p, requestedBits, k_until_33_3, k_since_33_4_0 } of sizing) {
      const cellCount = 64 * Math.ceil(requestedBits / 64);
      for (const [sizing, hashes] of [
        [undefined, k_since_33_4_0],
        ['guava-33.4', k_since_33_4_0],
        ['guava-33.3', k_until_33_3],
      ]) {
        const size = () => GuavaBloomFilter[KIND].sizeFor?.(n, p, { sizing });
        if (requestedBits === 0) expect(size, `${n} keys at ${p}`).toThrow(/needs 0 bits, of 1 … /);
        else expect(size(), `${n} keys at ${p}`).toMatchObject({ cellCount, hashes });
      }
    }
  });

  it('takes a capacity of 0 for 1, as Guava does', () => {
    const filter = new GuavaBloomFilter({ capacity: 0 });
    expect(filter.equals(new GuavaBloomFilter({ capacity: 1 }))).toBe(true);
    expect([filter.capacity, filter.add('a'), filter.has('a')]).toEqual([1, true, true]);
  });

  it('has the error rate of Guava unless one is given', () => {
    const filter = new GuavaBloomFilter({ capacity: 1000 });
    expect([filter.errorRate, filter.capacity, filter.bits, filter.hashes]).toEqual([0.03, 1000, 7360, 5]);
    expect(GuavaBloomFilter.from(['a', 'b']).errorRate).toBe(0.03);
    expect(GuavaBloomFilter.from(['a', 'b'], { errorRate: 0.1 }).errorRate).toBe(0.1);
    const inherited = Object.create({ errorRate: 0.2 }, { capacity: { value: 1000 } });
    expect(new GuavaBloomFilter(inherited).errorRate).toBe(0.2);
  });

  it('shows its options, of which the bytes say the strategy only', () => {
    const size = { bits: 640, hashes: 3, strategy: 'MURMUR128_MITZ_32' } as const;
    const filter = new GuavaBloomFilter({ ...size, numbers: 'int', strings: 'chars' });
    expect(filter).toMatchObject({ ...size, kind: 'guava', numbers: 'int', strings: 'chars', seed: 0 });
    expect(GuavaBloomFilter.fromBytes(filter.toBytes())).toMatchObject({ ...size, numbers: 'long', strings: 'utf8' });
  });

  it('takes typed arrays of its numbers, and no others', () => {
    const ints = Int32Array.of(1, -1, 7);
    const longs = BigInt64Array.of(1n, -1n, 7n);
    const int = new GuavaBloomFilter({ ...OPTIONS, numbers: 'int' });
    const long = new GuavaBloomFilter(OPTIONS);
    const int7 = new GuavaBloomFilter({ ...OPTIONS, numbers: 'int' }).addMany([1, -1n, 7]);
    expect(int.addMany(ints).toBytes()).toEqual(int7.toBytes());
    expect(long.addMany(longs).toBytes()).toEqual(new GuavaBloomFilter(OPTIONS).addMany(ints).toBytes());
    expect(long.toBytes()).not.toEqual(int.toBytes());
    expect(int.pick(Int32Array.of(7, 8))).toEqual(Int32Array.of(7));
    expect(() => int.addMany(longs)).toThrow("the option numbers is 'int' or 'long'");
    expect(() => int.add(2 ** 32)).toThrow(RangeError);
    expect(() => int.addMany([1, 2 ** 40])).toThrow('keys[1] must be an integer from -2^31 to 2^32 - 1');
    expect(() => long.addMany(Float64Array.of(1) as never)).toThrow(TypeError);
    expect(() => int.union(new GuavaBloomFilter(OPTIONS))).toThrow('numbers of other must be int, got long');
  });

  it('keeps strings as they are, though their lone surrogates are hashed as question marks', () => {
    const filter = new GuavaBloomFilter(OPTIONS).addMany(['a?', 'b?']);
    expect(filter.pick(['a\ud800', 'c\ud800', 'b\udc00', 'b?'])).toEqual(['a\ud800', 'b\udc00', 'b?']);
    const bytes = new Uint8Array(4);
    const keys: Key[] = ['d\ud800', 'e', bytes];
    const list = new Proxy(keys, {
      get(target, name) {
        // The buffer is lost after the key was checked.
        if (name === '3') structuredClone(bytes, { transfer: [bytes.buffer] });
        return name === 'length' ? 4 : (Reflect.get(target, name) ?? 'f');
      },
    });
    expect(() => filter.addMany(list)).toThrow(/^keys\[2\] must be .* detached/);
    expect(filter.hasMany(['d?', 'd\udc00', 'e', 'f'])).toEqual(Uint8Array.of(1, 1, 1, 0));
  });

  it('hashes the units of strings as two bytes each, in the order of mixed keys', () => {
    const make = () => new GuavaBloomFilter({ bits: 6400, hashes: 5, strings: 'chars' });
    const unitsOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf16le'));
    // The longest that fits the scratch, and the shortest that does not.
    const texts = ['', 'a', 'é漢😀', '\ud800', '\udc00\ud800', 'x'.repeat(49_152), 'y'.repeat(49_153)];
    const keys: Key[] = [...texts, unitsOf('b'), 1, 'c', 2n, 'd'.repeat(60_000), 'e'];
    const batch = make().addMany(keys);
    const singles = make();
    for (const key of keys) expect(singles.add(typeof key === 'string' ? unitsOf(key) : key)).toBe(true);
    expect(singles.toBytes()).toEqual(batch.toBytes());
    expect(batch.pick(['b!', ...texts])).toEqual(texts);
    expect(texts.every((text) => batch.has(text))).toBe(true);
    for (const wrong of [lines(Buffer.from('a\nb')), column(Buffer.from('ab'), Int32Array.of(0, 1, 2))]) {
      expect(() => make().addMany(wrong)).toThrow(
        /^keys must be an array or iterable of strings, got .*: lines and columns are UTF-8, and strings is 'chars'$/,
      );
    }
    expect(() => make().addMany(['a', 1.5])).toThrow(/^keys\[1\] must be a safe integer/);
  });
});

it('a filter of Guava whose strategy does not reach all bits is estimated by those that it reaches', () => {
  const bits = 2 ** 32;
  const make = (strategy: GuavaStrategy) => new GuavaBloomFilter({ bits, hashes: 4, strategy });
  using wide = make('MURMUR128_MITZ_64');
  using narrow = make('MURMUR128_MITZ_32');
  expect(narrow.capacity).toBe(Math.floor((2 ** 31 * Math.LN2) / 4));
  expect(wide.capacity).toBe(Math.floor((bits * Math.LN2) / 4));
  expect(narrow.errorRate).toBeCloseTo(2 ** -4, 3);
  // As many as show which number of bits is counted with.
  narrow.addMany(integersFrom(0, 2e6));
  const counts = [narrow.estimateUnion(narrow), narrow.estimateIntersection(narrow)].map(({ count }) => count);
  for (const count of [narrow.estimateCount(), ...counts]) expect(Math.abs(count - 2e6)).toBeLessThan(400);
  expect(narrow.estimateErrorRate() / (8e6 / 2 ** 31) ** 4).toBeCloseTo(1, 1);
  expect(() => narrow.estimateUnion(wide)).toThrow('strategy of other must be MURMUR128_MITZ_32');
});
