import { describe, expect, it } from 'vitest';
import { GuavaBloomFilter, type GuavaBloomFilterOptions } from '../../src/entries/guava.ts';
import { GuavaBloomFilter as JsGuavaBloomFilter } from '../../src/entries/guava-js.ts';
import { KIND } from '../../src/filters/kind.ts';
import type { GuavaStrategy } from '../../src/foreign/guava.ts';
import { type Key, lines, SavedFilterError } from '../../src/index.ts';
import { playVectors, readVectors, type Vector } from './vectors.ts';

interface GuavaVector extends Vector {
  readonly strategyName: GuavaStrategy;
  readonly funnel: 'string' | 'chars' | 'bytes' | 'int' | 'long';
  readonly identicalInGuava33_7_0: boolean;
  readonly guava33_7_0_k?: number;
}

interface Size {
  readonly n: number;
  readonly p: number;
  readonly requestedBits: number;
  readonly k_until_33_3: number;
  readonly k_since_33_4_0: number;
}

const { sizing, vectors } = readVectors<{ sizing: readonly Size[]; vectors: readonly GuavaVector[] }>('guava');

const readingOptionsOf = ({ funnel }: GuavaVector) => ({
  numbers: funnel === 'int' ? ('int' as const) : undefined,
  strings: funnel === 'chars' ? ('chars' as const) : undefined,
});

const engines = [
  { name: 'wasm', Filter: GuavaBloomFilter },
  { name: 'js', Filter: JsGuavaBloomFilter },
];

const OPTIONS: GuavaBloomFilterOptions = { capacity: 100, errorRate: 0.01 };

describe.each(engines)('a filter of Guava: $name', ({ name, Filter }) => {
  describe('as Guava makes it', () => {
    playVectors(vectors, name === 'wasm', {
      make: (vector) =>
        new Filter({
          bits: vector.m,
          hashes: vector.k,
          strategy: vector.strategyName,
          ...readingOptionsOf(vector),
        }),
      load: (bytes, vector) => Filter.fromBytes(bytes, readingOptionsOf(vector)),
      save: (filter) => filter.toChunks(),
    });
  });

  it('has the sizes of all versions', () => {
    for (const { n, p, requestedBits, k_until_33_3, k_since_33_4_0 } of sizing) {
      const { sizeFor } = Filter[KIND];
      const shown = `${n} keys at ${p}`;
      if (requestedBits === 0) {
        expect(() => sizeFor?.(n, p, {}), shown).toThrow(/needs 0 bits, of 1 … /);
        continue;
      }
      const cellCount = 64 * Math.ceil(requestedBits / 64);
      expect(sizeFor?.(n, p, {}), shown).toMatchObject({ cellCount, hashes: k_since_33_4_0 });
      expect(sizeFor?.(n, p, { sizing: 'guava-33.4' }), shown).toMatchObject({ cellCount, hashes: k_since_33_4_0 });
      expect(sizeFor?.(n, p, { sizing: 'guava-33.3' }), shown).toMatchObject({ cellCount, hashes: k_until_33_3 });
    }
  });

  it('has the sizes of the filters that Guava has made', () => {
    const sized = vectors.filter(({ n = 0, p }) => n > 0 && p !== undefined);
    expect(sized.length).toBeGreaterThan(20);
    for (const { n = 0, p, m, k, guava33_7_0_k = k, identicalInGuava33_7_0 } of sized) {
      const before = new Filter({ capacity: n, errorRate: p, sizing: 'guava-33.3' });
      const since = new Filter({ capacity: n, errorRate: p });
      expect([before.bits, before.hashes, since.bits, since.hashes]).toEqual([m, k, m, guava33_7_0_k]);
      expect(before.hashes === since.hashes).toBe(identicalInGuava33_7_0);
    }
  });

  it('takes a capacity of 0 for 1, as Guava does', () => {
    const filter = new Filter({ capacity: 0 });
    expect(filter.equals(new Filter({ capacity: 1 }))).toBe(true);
    expect([filter.capacity, filter.add('a'), filter.has('a')]).toEqual([1, true, true]);
    expect(() => new Filter({ capacity: -1 })).toThrow('capacity must be an integer from 1');
  });

  it('has the error rate of Guava unless one is given', () => {
    const filter = new Filter({ capacity: 1000 });
    expect([filter.errorRate, filter.capacity, filter.bits, filter.hashes]).toEqual([0.03, 1000, 7360, 5]);
    expect(Filter.from(['a', 'b']).errorRate).toBe(0.03);
    expect(Filter.from(['a', 'b'], { errorRate: 0.1 }).errorRate).toBe(0.1);
    class Options {
      readonly capacity = 1000;
      readonly #errorRate = 0.2;
      get errorRate(): number {
        return this.#errorRate;
      }
    }
    expect(new Filter(new Options()).errorRate).toBe(0.2);
  });

  it('shows its options', () => {
    const filter = new Filter({
      bits: 640,
      hashes: 3,
      strategy: 'MURMUR128_MITZ_32',
      numbers: 'int',
      strings: 'chars',
    });
    const { kind, bits, hashes, strategy, numbers, strings, seed } = filter;
    expect({ kind, bits, hashes, strategy, numbers, strings, seed }).toEqual({
      kind: 'guava',
      bits: 640,
      hashes: 3,
      strategy: 'MURMUR128_MITZ_32',
      numbers: 'int',
      strings: 'chars',
      seed: 0,
    });
    const loaded = Filter.fromBytes(filter.toBytes());
    expect([loaded.strategy, loaded.numbers, loaded.strings]).toEqual(['MURMUR128_MITZ_32', 'long', 'utf8']);
  });

  it.each([
    [{ bits: 100, hashes: 3 }, RangeError, 'bits must be a multiple of 64, got 100'],
    [{ bits: 0, hashes: 3 }, RangeError, 'bits must be an integer from 64 to 137438953408, got 0'],
    [{ bits: 2 ** 37, hashes: 3 }, RangeError, 'bits must be an integer from 64 to 137438953408, got 137438953472'],
    [{ bits: 64, hashes: 256 }, RangeError, 'hashes must be an integer from 1 to 255, got 256'],
    [{ bits: 64 }, TypeError, 'hashes must be an integer from 1 to 255, got undefined'],
    [{ ...OPTIONS, seed: 1 }, TypeError, 'seed must be undefined, because the hash has none, got 1'],
    [{ bits: 64, hashes: 1, seed: 1 }, TypeError, 'seed must be undefined, because the hash has none, got 1'],
    [{ bits: 64, hashes: 1, sizing: 'guava-33.3' }, TypeError, 'options must give bits and hashes or sizing, got both'],
    [{ ...OPTIONS, sizing: 1 }, TypeError, 'sizing must be a string, got 1'],
    [{ ...OPTIONS, sizing: '33' }, RangeError, 'sizing must be one of "guava-33.4", "guava-33.3", got "33"'],
    [
      { ...OPTIONS, strategy: 'MITZ_64' },
      RangeError,
      'strategy must be one of "MURMUR128_MITZ_32", "MURMUR128_MITZ_64", got "MITZ_64"',
    ],
    [{ ...OPTIONS, numbers: 'int64' }, RangeError, 'numbers must be one of "int", "long", got "int64"'],
    [{ ...OPTIONS, strings: true }, TypeError, 'strings must be a string, got true'],
    [{ capacity: 10, errorRate: 1e-80 }, RangeError, 'errorRate 1e-80 needs 266 hashes, of 1 … 255'],
    [
      { capacity: 2 ** 53 - 1 },
      RangeError,
      /^capacity 9007199254740991 at errorRate 0.03 needs \d+ bits, of 1 … 137438953408$/,
    ],
    [{ capacity: 10, wrong: 1 }, TypeError, /^unknown option wrong; the options are /],
    [7, TypeError, 'options must be an object such as { capacity: 1000, errorRate: 0.01 }, got 7'],
  ])('refuses the options %j', (options, error, message) => {
    const make = (): unknown => new Filter(options as GuavaBloomFilterOptions);
    expect(make).toThrow(error);
    expect(make).toThrow(message);
  });

  it.each([
    ['no bytes', [], 'TRUNCATED', 'there are none'],
    ['an unknown strategy', [2, 1, 0, 0, 0, 1], 'VERSION', 'its strategy is 2'],
    ['a negative strategy', [255, 1, 0, 0, 0, 1], 'VERSION', 'its strategy is -1'],
    ['half of a header', [1, 1, 0, 0, 0], 'TRUNCATED', 'they end in the header'],
    ['no hashes', [1, 0, 0, 0, 0, 1], 'DAMAGED', 'its number of hashes is 0'],
    ['no words', [1, 1, 0, 0, 0, 0], 'DAMAGED', 'its number of words is 0'],
    ['a negative number of words', [1, 1, 255, 255, 255, 255], 'DAMAGED', 'its number of words is -1'],
    ['words that are missing', [1, 1, 127, 255, 255, 255], 'TRUNCATED', 'it has 0 of 17179869176 bytes of cells'],
    ['too many words', [1, 1, 0, 0, 0, 1, ...new Uint8Array(9)], 'DAMAGED', 'it has 9 of 8 bytes of cells'],
  ])('refuses bytes with %s', (_, bytes, code, message) => {
    let error: unknown;
    try {
      Filter.fromBytes(Uint8Array.from(bytes));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(SavedFilterError);
    expect(error).toMatchObject({ code });
    expect(String(error)).toContain(`not a filter of Guava: ${message}`);
  });

  it('takes typed arrays of its numbers, and no others', () => {
    const ints = Int32Array.of(1, -1, 7);
    const longs = BigInt64Array.of(1n, -1n, 7n);
    const int = new Filter({ ...OPTIONS, numbers: 'int' });
    const long = new Filter(OPTIONS);
    const int7 = new Filter({ ...OPTIONS, numbers: 'int' }).addMany([1, -1n, 7]);
    expect(int.addMany(ints).toBytes()).toEqual(int7.toBytes());
    expect(long.addMany(longs).toBytes()).toEqual(new Filter(OPTIONS).addMany(ints).toBytes());
    expect(long.toBytes()).not.toEqual(int.toBytes());
    expect(int.pick(Int32Array.of(7, 8))).toEqual(Int32Array.of(7));
    expect(() => int.addMany(longs)).toThrow("the option numbers is 'int' or 'long'");
    expect(() => int.add(2 ** 32)).toThrow(RangeError);
    expect(() => int.addMany([1, 2 ** 40])).toThrow('keys[1] must be an integer from -2^31 to 2^32 - 1');
    expect(() => long.addMany(Float64Array.of(1) as never)).toThrow(TypeError);
    expect(() => int.union(new Filter(OPTIONS))).toThrow('numbers of other must be int, got long');
  });

  it('keeps strings as they are, though their lone surrogates are hashed as question marks', () => {
    const filter = new Filter(OPTIONS).addMany(['a?', 'b?']);
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

  describe('with the units of strings as keys', () => {
    const make = () => new Filter({ bits: 6400, hashes: 5, strings: 'chars' });
    const unitsOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf16le'));
    const texts = [
      '',
      'a',
      'é漢😀',
      '\ud800',
      '\udc00\ud800',
      'x'.repeat(49_152),
      'y'.repeat(49_153),
      'é'.repeat(100_000),
    ];

    it('hashes them as two bytes each, in strings of any length', () => {
      const batch = make().addMany(texts);
      const singles = make();
      for (const text of texts) expect(singles.add(text)).toBe(true);
      expect(singles.toBytes()).toEqual(batch.toBytes());
      expect(make().addMany(texts.map(unitsOf)).toBytes()).toEqual(batch.toBytes());
      expect(batch.pick(['b', ...texts])).toEqual(texts);
      expect(texts.every((text) => singles.has(text))).toBe(true);
    });

    it('hashes mixed keys in their order', () => {
      const keys: Key[] = ['a', unitsOf('b'), 1, 'c', 2n, 'd'.repeat(60_000), 'e'];
      const singles = make();
      for (const key of keys) singles.add(key);
      expect(make().addMany(keys).toBytes()).toEqual(singles.toBytes());
    });

    it('refuses texts that are UTF-8', () => {
      expect(() => make().addMany(lines(Buffer.from('a\nb')))).toThrow('lines and columns are UTF-8');
    });
  });

  it('estimates its keys and errors', () => {
    for (const strategy of ['MURMUR128_MITZ_64', 'MURMUR128_MITZ_32'] as const) {
      const keys = Array.from({ length: 5000 }, (_, i) => `key ${i}`);
      const filter = new Filter({ capacity: 5000, errorRate: 0.01, strategy }).addMany(keys);
      expect(filter.estimateCount() / 5000).toBeCloseTo(1, 1);
      expect(filter.estimateErrorRate()).toBeGreaterThan(0.007);
      expect(filter.estimateErrorRate()).toBeLessThan(0.014);
      const absent = keys.map((key) => `no ${key}`);
      const found = filter.hasMany(absent).reduce((sum, flag) => sum + flag, 0) / 5000;
      expect(found).toBeLessThan(0.02);
    }
  });
});

describe('a filter of Guava whose strategy does not reach all bits', () => {
  const bits = 2 ** 32;
  const make = (strategy: GuavaStrategy) => new GuavaBloomFilter({ bits, hashes: 4, strategy });

  it('is estimated by those that it reaches', () => {
    using wide = make('MURMUR128_MITZ_64');
    using narrow = make('MURMUR128_MITZ_32');
    expect(narrow.capacity).toBe(Math.floor((2 ** 31 * Math.LN2) / 4));
    expect(wide.capacity).toBe(Math.floor((bits * Math.LN2) / 4));
    expect(narrow.errorRate).toBeCloseTo(2 ** -4, 3);
    narrow.addMany(Uint32Array.from({ length: 1000 }, (_, i) => i));
    expect(narrow.estimateErrorRate()).toBeCloseTo((4000 / 2 ** 31) ** 4, 12);
    expect(narrow.estimateCount()).toBeCloseTo(1000, 1);
    expect(narrow.estimateUnion(narrow).count).toBeCloseTo(1000, 1);
    expect(narrow.estimateIntersection(narrow).count).toBeCloseTo(1000, 1);
  });
});
