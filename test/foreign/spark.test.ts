import { describe, expect, it } from 'vitest';
import { SparkBloomFilter, type SparkBloomFilterOptions } from '../../src/entries/spark.ts';
import { SparkBloomFilter as JsSparkBloomFilter } from '../../src/entries/spark-js.ts';
import { KIND } from '../../src/filters/kind.ts';
import { column, type Keys, lines, optimalHashes, SavedFilterError } from '../../src/index.ts';
import { records } from '../../src/records.ts';
import { randomBytes } from '../shared/awkward.ts';
import { slowSparkBits } from './slow-spark-hash.ts';
import { playVectors, readVectors, type Vector } from './vectors.ts';

interface SparkVector extends Vector {
  readonly version: 1 | 2;
  readonly seed?: number;
  readonly numBits?: number;
}

interface File {
  readonly sizing: readonly { readonly n: number; readonly p: number; readonly numBits: number; readonly k: number }[];
  readonly vectors: readonly SparkVector[];
}

const files = [
  { version: 1 as const, file: readVectors<File>('spark-v1') },
  { version: 2 as const, file: readVectors<File>('spark-v2') },
];

const engines = [
  { name: 'wasm', Filter: SparkBloomFilter },
  { name: 'js', Filter: JsSparkBloomFilter },
];

const OPTIONS: SparkBloomFilterOptions = { capacity: 100, errorRate: 0.01 };

describe.each(engines)('a filter of Spark: $name', ({ name, Filter }) => {
  describe.each(files)('of version $version, as Spark makes it', ({ version, file: { vectors, sizing } }) => {
    playVectors(vectors, name === 'wasm', {
      make: ({ m, k, seed }) => new Filter({ bits: m, hashes: k, version, seed }),
      load: (bytes) => Filter.fromBytes(bytes),
      save: (filter) => filter.toChunks(),
    });

    it('has the sizes that Spark chooses', () => {
      for (const { n, p, numBits, k } of sizing) {
        const size = (): unknown => Filter[KIND].sizeFor?.(n, p, { version });
        if (numBits === 0) expect(size, `${n} keys at ${p}`).toThrow(/needs 0 bits, of 1 … /);
        else expect(size(), `${n} keys at ${p}`).toMatchObject({ cellCount: 64 * Math.ceil(numBits / 64), hashes: k });
      }
    });

    it('has the sizes of the filters that Spark has made', () => {
      for (const { n, p, m, k, numBits } of vectors) {
        if (n !== undefined && p !== undefined) {
          const { bits, hashes } = new Filter({ capacity: n, errorRate: p, version });
          expect([bits, hashes]).toEqual([m, k]);
        } else if (n !== undefined && numBits !== undefined) {
          // What the documentation says of `create(n, numBits)`.
          expect([64 * Math.ceil(numBits / 64), optimalHashes(n, numBits)]).toEqual([m, k]);
        }
      }
    });
  });

  it('has the error rate and the version of Spark unless others are given', () => {
    const { errorRate, bits, hashes, version, seed } = new Filter({ capacity: 1000 });
    expect({ errorRate, bits, hashes, version, seed }).toEqual({
      errorRate: 0.03,
      bits: 7360,
      hashes: 5,
      version: 2,
      seed: 0,
    });
    expect(Filter.from(['a', 'b'], { seed: 5 })).toMatchObject({ errorRate: 0.03, seed: 5 });
  });

  it('has a seed with a sign in version 2', () => {
    for (const seed of [-(2 ** 31), -7, 0, 2 ** 31 - 1]) {
      const filter = new Filter({ ...OPTIONS, seed }).addMany(['a']);
      expect(filter.seed).toBe(seed);
      const bytes = filter.toBytes();
      expect(new DataView(bytes.buffer).getInt32(8)).toBe(seed);
      expect(Filter.fromBytes(bytes)).toMatchObject({ seed, version: 2 });
      expect(filter.has('a')).toBe(true);
    }
    expect(() => new Filter({ ...OPTIONS, seed: 1 }).union(new Filter({ ...OPTIONS, seed: 2 }))).toThrow(RangeError);
    expect(() => new Filter({ ...OPTIONS, version: 1 }).union(new Filter(OPTIONS))).toThrow(
      'version of other must be 1, got 2',
    );
  });

  it.each([
    [{ bits: 100, hashes: 3 }, RangeError, 'bits must be a multiple of 64, got 100'],
    [{ bits: 64, hashes: 65 }, RangeError, 'hashes must be an integer from 1 to 64, got 65'],
    [{ hashes: 3 }, TypeError, 'bits must be an integer from 64 to 137438953408, got undefined'],
    [{ ...OPTIONS, version: 3 }, RangeError, 'version must be an integer from 1 to 2, got 3'],
    [{ ...OPTIONS, version: '2' }, TypeError, 'version must be an integer from 1 to 2, got "2"'],
    [{ ...OPTIONS, version: 1, seed: 0 }, TypeError, 'seed must be undefined, because version 1 has none, got 0'],
    [
      { ...OPTIONS, seed: 2 ** 31 },
      RangeError,
      'seed must be an integer from -2147483648 to 2147483647, got 2147483648',
    ],
    [{ ...OPTIONS, numbers: 'int' }, TypeError, /^unknown option numbers; the options are /],
    [{ capacity: 3, errorRate: 0.9 }, RangeError, 'capacity 3 at errorRate 0.9 needs 0 bits, of 1 … 137438953408'],
  ])('refuses the options %j', (options, error, message) => {
    const make = (): unknown => new Filter(options as SparkBloomFilterOptions);
    expect(make).toThrow(error);
    expect(make).toThrow(message);
  });

  const int = (value: number): number[] => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];

  it.each([
    ['no bytes', [], 'TRUNCATED', 'they end in the header'],
    ['an unknown version', [...int(3), ...int(1), ...int(1)], 'VERSION', 'its version is 3'],
    ['a negative version', [...int(-1), ...int(1), ...int(1)], 'VERSION', 'its version is -1'],
    ['half of a header', [...int(2), ...int(1), ...int(0)], 'TRUNCATED', 'they end in the header'],
    ['no hashes', [...int(1), ...int(0), ...int(1)], 'DAMAGED', 'its number of hashes is 0, for 64 bits'],
    [
      'more hashes than anybody has',
      [...int(1), ...int(2 ** 20 + 1), ...int(2 ** 15)],
      'DAMAGED',
      'its number of hashes is 1048577, for 2097152 bits',
    ],
    ['more hashes than bits', [...int(1), ...int(65), ...int(1)], 'DAMAGED', 'its number of hashes is 65, for 64 bits'],
    ['no words', [...int(1), ...int(1), ...int(0)], 'DAMAGED', 'its number of words is 0'],
    ['a negative number of words', [...int(2), ...int(1), ...int(0), ...int(-5)], 'DAMAGED', 'words is -5'],
    [
      'words that are missing',
      [...int(2), ...int(1), ...int(0), ...int(2 ** 31 - 1)],
      'TRUNCATED',
      'it has 0 of 17179869176 bytes of cells',
    ],
    [
      'too many words',
      [...int(1), ...int(1), ...int(1), ...new Uint8Array(9)],
      'DAMAGED',
      'it has 9 of 8 bytes of cells',
    ],
  ])('refuses bytes with %s', (_, bytes, code, message) => {
    let error: unknown;
    try {
      Filter.fromBytes(Uint8Array.from(bytes));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(SavedFilterError);
    expect(error).toMatchObject({ code });
    expect(String(error)).toContain('not a filter of Spark: ');
    expect(String(error)).toContain(message);
  });

  it('widens integers of any type', () => {
    const make = () => new Filter(OPTIONS);
    const expected = make().addMany([1, -1n, 7]).toBytes();
    expect(
      make()
        .addMany(Int32Array.of(1, -1, 7))
        .toBytes(),
    ).toEqual(expected);
    expect(
      make()
        .addMany(BigInt64Array.of(1n, -1n, 7n))
        .toBytes(),
    ).toEqual(expected);
    expect(() => make().addMany(Float64Array.of(1) as never)).toThrow('Spark has integers only');
    expect(() => make().add(0.5)).toThrow(RangeError);
  });

  it('takes many hashes, as Spark does for few keys in many bits', () => {
    const filter = new Filter({ bits: 64 * 1000, hashes: 3000 }).addMany(['a', 'b']);
    const singles = new Filter({ bits: 64 * 1000, hashes: 3000 });
    expect([singles.add('a'), singles.add('b'), singles.has('a'), singles.has('c')]).toEqual([true, true, true, false]);
    expect(singles.toBytes()).toEqual(filter.toBytes());
    expect(Filter.fromBytes(filter.toBytes()).hashes).toBe(3000);
    expect(filter.errorRate).toBeLessThan(1e-100);
    expect(Math.round(filter.fillRatio() * 64_000)).toBe(
      new Set(['a', 'b'].flatMap((key) => [...slowSparkBits(Buffer.from(key), 0, 64_000, 3000)])).size,
    );
  });

  describe('hashes keys that do not fit the scratch twice', () => {
    const BITS = 64_000;
    const HASHES = 7;
    const SEED = 3;
    const text = (length: number): string => 'an é in a long key, '.repeat(length / 21);
    const ascii = (length: number): string => 'long'.repeat(length / 4);
    const limit = 96 * 1024;
    const bytes = [limit - 1, limit, limit + 1, 100_000, 200_003].map((length) => randomBytes(length, 7));
    const texts = [text(30_000), text(limit), text(200_000), ascii(limit), ascii(limit + 4), ascii(200_000)];
    const make = () => new Filter({ bits: BITS, hashes: HASHES, seed: SEED });

    /** The bits of keys by the slow hash. */
    function bodyOf(keys: readonly (string | Uint8Array)[]): Uint8Array {
      const body = new Uint8Array(BITS / 8);
      for (const key of keys) {
        const each = typeof key === 'string' ? Buffer.from(key) : key;
        for (const bit of slowSparkBits(each, SEED, BITS, HASHES)) {
          const at = 8 * Math.floor(bit / 64) + 7 - (Math.floor(bit / 8) % 8);
          body[at] = (body[at] ?? 0) | (1 << (bit % 8));
        }
      }
      return body;
    }

    const keys = [...bytes, 'short', ...texts, 'another', randomBytes(20, 1)];

    it('in arrays, iterables, and one by one', () => {
      const expected = bodyOf(keys);
      const batch = make().addMany(keys);
      const singles = make();
      for (const key of keys) singles.add(key);
      const generator = (function* () {
        yield* keys;
      })();
      for (const filter of [batch, singles, make().addMany(generator)]) {
        expect(filter.toBytes().subarray(16)).toEqual(expected);
      }
      expect(batch.hasMany(keys).every(Boolean)).toBe(true);
      expect(keys.every((key) => batch.has(key))).toBe(true);
      expect(batch.pick(['absent', ...keys])).toEqual(keys);
    });

    it.each(['\n', '\r\n'])('in lines that end with %j', (end) => {
      const all = ['short', ...texts, '', 'last'];
      for (const [whole, last] of [
        [all, ''],
        [all, end],
        [[text(200_000)], ''],
        [[text(200_000)], '\r'],
      ] as const) {
        const source = `${whole.join(end)}${last}`;
        const split = end === '\n' ? source.split('\n') : source.split(/\r?\n/);
        const expected = bodyOf(last === end ? split.slice(0, -1) : split);
        const filter = make().addMany(lines(Buffer.from(source), { crlf: end === '\r\n' }));
        expect(filter.toBytes().subarray(16)).toEqual(expected);
        expect(Buffer.from(filter.pick(lines(Buffer.from(source))).bytes).toString()).toBe(source);
      }
    });

    it('in columns and records', () => {
      const all = [randomBytes(5, 1), ...bytes, randomBytes(9, 2)];
      let end = 0;
      const offsets = Int32Array.of(0, ...all.map(({ length }) => (end += length)));
      const collections: [Keys, Uint8Array][] = [
        [column(Buffer.concat(all), offsets), bodyOf(all)],
        [
          records(Buffer.concat([bytes[3] as Uint8Array, bytes[3] as Uint8Array]), 50_000),
          bodyOf([(bytes[3] as Uint8Array).subarray(0, 50_000), (bytes[3] as Uint8Array).subarray(50_000)]),
        ],
        [records(bytes[3] as Uint8Array, 100_000), bodyOf([bytes[3] as Uint8Array])],
      ];
      for (const [collection, expected] of collections) {
        const filter = make().addMany(collection);
        expect(filter.toBytes().subarray(16)).toEqual(expected);
        expect(filter.hasMany(collection).every(Boolean)).toBe(true);
      }
    });
  });
});

describe('a filter of Spark whose version does not reach all bits', () => {
  it('is estimated by those that it reaches', () => {
    using filter = new SparkBloomFilter({ bits: 2 ** 32, hashes: 4, version: 1 });
    expect(filter.capacity).toBe(Math.floor((2 ** 31 * Math.LN2) / 4));
    filter.addMany(Uint32Array.from({ length: 1000 }, (_, i) => i));
    expect(filter.estimateErrorRate()).toBeCloseTo((4000 / 2 ** 31) ** 4, 12);
    expect(filter.estimateCount()).toBeCloseTo(1000, 1);
    expect(filter.estimateUnion(filter).count).toBeCloseTo(1000, 1);
  });
});
