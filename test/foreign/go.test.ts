import { describe, expect, it } from 'vitest';
import { GoBloomFilter } from '../../src/entries/go.ts';
import { GoBloomFilter as JsGoBloomFilter } from '../../src/entries/go-js.ts';
import { column, type Key, type Keys, lines, SavedFilterError } from '../../src/index.ts';
import { records } from '../../src/keys/records.ts';
import { randomFrom } from '../shared/random.ts';
import { playVectors, readVectors, type Vector } from './vectors.ts';

interface GoVector extends Vector {
  readonly json?: string;
}

interface File {
  readonly sizing: readonly { readonly n: number; readonly p: number; readonly m: number; readonly k: number }[];
  readonly vectors: readonly GoVector[];
}

const { sizing, vectors } = readVectors<File>('go-bloom-v3');

const bytesOf = (text = ''): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));

/** Whether the bit set of a filter is empty until a key is added: one of `New(0, 0)`. Only loading makes such filters. */
const isUnset = ({ id }: GoVector): boolean => id === 'm0-k0-empty';

const engines = [
  { name: 'wasm', Filter: GoBloomFilter, Twin: JsGoBloomFilter },
  { name: 'js', Filter: JsGoBloomFilter, Twin: GoBloomFilter },
];

/** The bytes of a small filter, with changes. */
function changed(change: (view: DataView) => void, bits = 100): Uint8Array {
  const bytes = new GoBloomFilter({ bits, hashes: 3 }).addMany(['a', 'b']).toBytes();
  change(new DataView(bytes.buffer));
  return bytes;
}

/** The bytes of a filter whose program has called `bitset.LittleEndian()`. */
function littleEndian(bytes: Uint8Array): Uint8Array {
  const reversed = bytes.slice();
  for (let at = 16; at < bytes.length; at += 8) reversed.subarray(at, at + 8).reverse();
  return reversed;
}

const codeOf = (load: () => unknown): string | undefined => {
  try {
    load();
  } catch (error) {
    if (error instanceof SavedFilterError) return error.code;
    throw error;
  }
  return undefined;
};

describe.each(engines)('a filter of bits-and-blooms: $name', ({ name, Filter, Twin }) => {
  describe('as the library makes it', () => {
    playVectors(vectors, name === 'wasm', {
      make: (vector) =>
        isUnset(vector)
          ? Filter.fromBytes(bytesOf(vector.serializedBase64))
          : new Filter({ bits: vector.m, hashes: vector.k }),
      load: (bytes) => Filter.fromBytes(bytes),
      save: (filter) => filter.toChunks(),
    });
  });

  it.each(sizing)('has the size that the library estimates for $n keys at $p', ({ n, p, m, k }) => {
    // Larger ones take too long to make, and most engines have no memory for them.
    if (m > 2 ** 24) return;
    const filter = new Filter({ capacity: n, errorRate: p });
    expect([filter.bits, filter.hashes]).toEqual([m, k]);
  });

  it.each(vectors.flatMap(({ id, json, serializedBase64 }) => (json ? [{ id, json, serializedBase64 }] : [])))(
    'is the JSON of the library: $id',
    ({ json, serializedBase64 }) => {
      const bytes = bytesOf(serializedBase64);
      expect(JSON.stringify(Filter.fromBytes(bytes))).toBe(json);
      const { m, k, b } = JSON.parse(json);
      const standard = b.replaceAll('-', '+').replaceAll('_', '/');
      const reversed = Buffer.from(littleEndian(bytes).subarray(16)).toString('base64');
      for (const form of [json, { m, k, b }, { m, k, b: standard }, { m, k, b: reversed }]) {
        expect(Filter.fromJSON(form).toBytes()).toEqual(bytes);
      }
    },
  );

  it('is loaded from little-endian bytes', () => {
    const bytes = new Filter({ bits: 1009, hashes: 7 }).addMany(['a', 'b', 'c']).toBytes();
    expect(Filter.fromBytes(littleEndian(bytes)).toBytes()).toEqual(bytes);
  });

  it('has an empty bit set until a key is added, if it was made by New(0, 0)', () => {
    const vector = vectors.find(isUnset);
    const filter = Filter.fromBytes(bytesOf(vector?.serializedBase64));
    expect(JSON.stringify(filter)).toBe('{"m":1,"k":1,"b":"AAAAAAAAAAA="}');
    expect(Filter.fromJSON(JSON.stringify(filter)).toBytes()).toHaveLength(24);
    expect(filter.clone().toBytes()).toHaveLength(24);
    expect(filter.has('a')).toBe(false);
    const one = new Filter({ bits: 1, hashes: 1 }).addMany(['a']);
    expect(filter.union(one).toBytes()).toEqual(one.toBytes());
    filter.add('a');
    expect(filter.toBytes()).toEqual(one.toBytes());
  });

  it('finds short strings of a batch, and only those', () => {
    // In plain JavaScript, the kernel would read such strings one by one, to the same place.
    const keys = Array.from({ length: 3000 }, (_, i) => `k${i}`);
    const filter = new Filter({ capacity: 6000, errorRate: 0.001 }).addMany(keys);
    const singles = new Filter({ capacity: 6000, errorRate: 0.001 });
    for (const key of keys) singles.add(key);
    expect(filter.toBytes()).toEqual(singles.toBytes());
    expect(filter.hasMany(keys).every(Boolean)).toBe(true);
    const others = keys.map((key) => `${key}!`);
    expect(filter.pick(others)).toEqual(others.filter((key) => singles.has(key)));
    expect(filter.pick(others).length).toBeLessThan(10);
  });

  it.each([0, 1, 2, 7, 8, 9, 14, 15, 16, 17, 24, 30, 31])(
    'adds the byte 1 to keys of %i bytes past a block',
    (rest) => {
      const random = randomFrom(rest);
      const keys = [0, 16, 96].map((whole) => Uint8Array.from({ length: whole + rest }, () => random(256)));
      const make = (): GoBloomFilter => new Filter({ bits: 100_003, hashes: 40 });
      const joined = new Uint8Array(keys.flatMap((key) => [...key]));
      const ends = keys.map((_, i) => keys.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0));
      const singles = make();
      for (const key of keys) singles.add(key);
      expect(make().addMany(keys).toBytes()).toEqual(singles.toBytes());
      expect(
        make()
          .addMany(column(joined, Int32Array.of(0, ...ends)))
          .toBytes(),
      ).toEqual(singles.toBytes());
      expect(new Twin({ bits: 100_003, hashes: 40 }).addMany(keys).toBytes()).toEqual(singles.toBytes());
    },
  );

  it.each([200_000, 200_001, 200_015, 200_016, 98_304, 98_305])('takes keys of %i bytes in every form', (length) => {
    const random = randomFrom(length);
    const text = Array.from({ length }, () => String.fromCharCode(97 + random(26))).join('');
    const bytes = new TextEncoder().encode(text);
    const make = (): GoBloomFilter => new Filter({ bits: 100_003, hashes: 40 });
    const expected = make().addMany([text, 'short']).toBytes();
    const collections: Keys[] = [
      [bytes, 'short'],
      new Set<Key>(['short', bytes]),
      lines(Buffer.from(`${text}\nshort\n`)),
      lines(Buffer.from(`short\r\n${text}`)),
      column(Buffer.concat([bytes, Buffer.from('short')]), Int32Array.of(0, length, length + 5)),
    ];
    for (const keys of collections) expect(make().addMany(keys).toBytes()).toEqual(expected);
    const one = make();
    expect([one.add(text), one.add('short'), one.has(bytes), one.add(bytes)]).toEqual([true, true, true, false]);
    expect(one.toBytes()).toEqual(expected);
    expect(one.dedupe([bytes, 'other', text])).toEqual(['other']);
    const twoRecords = make().addMany(records(Buffer.concat([bytes, bytes.slice().reverse()]), length));
    expect(twoRecords.toBytes()).toEqual(make().addMany([bytes, bytes.slice().reverse()]).toBytes());
  });

  it('takes records of 8 bytes as these bytes', () => {
    const bytes = Uint8Array.from({ length: 800 }, (_, i) => i * 7);
    const keys = Array.from({ length: 100 }, (_, i) => bytes.subarray(8 * i, 8 * i + 8));
    const make = (): GoBloomFilter => new Filter({ bits: 9973, hashes: 7 });
    expect(make().addMany(records(bytes, 8)).toBytes()).toEqual(make().addMany(keys).toBytes());
  });

  it('refuses numbers, and says what to pass', () => {
    const filter = new Filter({ capacity: 10 });
    const advice = /Go has no integer keys, so pass the bytes/;
    for (const keys of [[1], [2n], new Uint32Array(2), new BigInt64Array(1), new Float64Array(1)]) {
      expect(() => filter.addMany(keys as Keys)).toThrow(advice);
      expect(() => Filter.from(keys as Keys, { capacity: 10 })).toThrow(advice);
    }
    expect(() => filter.add(1)).toThrow(TypeError);
    expect(() => filter.has(1n)).toThrow(advice);
    expect(filter.fillRatio()).toBe(0);
  });

  it.each([0, 1, 767, 768, 5000])('adds the %i keys before a number', (count) => {
    const keys: Key[] = Array.from({ length: count }, (_, i) => (i % 3 ? `k${i}` : Uint8Array.of(i, i >> 8)));
    const expected = new Filter({ capacity: 5000 }).addMany(keys).toBytes();
    const withNumber = [...keys, 7, 'after'];
    const collections = [withNumber, new Set(withNumber), withNumber.values()];
    for (const collection of collections) {
      const filter = new Filter({ capacity: 5000 });
      expect(() => filter.addMany(collection)).toThrow(
        `keys[${count}] must be a string or a Uint8Array, got 7: Go has`,
      );
      expect(filter.toBytes()).toEqual(expected);
    }
  });

  it('refuses options that the library does not have', () => {
    for (const options of [
      { capacity: 10, seed: 1 },
      { bits: 64 },
      { bits: 64, hashes: 2, capacity: 3 },
      { hashes: 2 },
    ]) {
      expect(() => new Filter(options as never)).toThrow(TypeError);
    }
    for (const options of [
      { bits: 0, hashes: 1 },
      { bits: 64, hashes: 0 },
      { bits: 64, hashes: 65_536 },
      { bits: 2 ** 53, hashes: 1 },
      { capacity: 0 },
      { capacity: 2 ** 53 - 1, errorRate: 0.001 },
    ]) {
      expect(() => new Filter(options)).toThrow(RangeError);
    }
    expect(() => Filter.fromBytes(new Filter({ capacity: 1 }).toBytes(), { numbers: 'long' })).toThrow(TypeError);
  });

  it.each<[string, (view: DataView) => void, string]>([
    ['of no bits', (view) => view.setBigUint64(0, 0n), 'FOREIGN'],
    ['of 2^64 - 1 bits', (view) => view.setBigUint64(0, 2n ** 64n - 1n), 'FOREIGN'],
    ['of more bits than its bit set', (view) => view.setBigUint64(0, 101n), 'DAMAGED'],
    ['of a bit set of other length', (view) => view.setBigUint64(16, 99n), 'DAMAGED'],
    ['of an empty bit set', (view) => view.setBigUint64(16, 0n), 'DAMAGED'],
    ['of no hashes', (view) => view.setBigUint64(8, 0n), 'DAMAGED'],
    ['of too many hashes', (view) => view.setBigUint64(8, 2n ** 32n), 'DAMAGED'],
    ['with a bit behind the last one', (view) => view.setUint8(32, 0x10), 'DAMAGED'],
    [
      'of far more bits than bytes',
      (view) => {
        view.setBigUint64(0, 2n ** 50n);
        view.setBigUint64(16, 2n ** 50n);
      },
      'TRUNCATED',
    ],
  ])('refuses bytes %s', (_, change, code) => {
    expect(codeOf(() => Filter.fromBytes(changed(change)))).toBe(code);
    expect(codeOf(() => Filter.fromBytes(changed(() => {})))).toBeUndefined();
  });

  it('refuses bytes that end too early, or go on', () => {
    const bytes = changed(() => {});
    for (let length = 0; length < bytes.length; length++) {
      expect(codeOf(() => Filter.fromBytes(bytes.subarray(0, length)))).toBe('TRUNCATED');
    }
    expect(codeOf(() => Filter.fromBytes(Buffer.concat([bytes, bytes.subarray(0, 1)])))).toBe('DAMAGED');
    const unset = Filter.fromBytes(bytesOf(vectors.find(isUnset)?.serializedBase64)).toBytes();
    expect(codeOf(() => Filter.fromBytes(Buffer.concat([unset, new Uint8Array(8)])))).toBe('DAMAGED');
  });

  it('refuses JSON of anything else', () => {
    const { m, k, b } = new Filter({ bits: 100, hashes: 3 }).toJSON();
    const wrong = [
      ...['', '{', '[]', '7', 'null', '"text"', '{"m":1}'],
      ...[
        { m: 0, k, b },
        { m: 1e300, k, b },
        { m: '100', k, b },
        { m, k: 0.5, b },
        { m, k: 2 ** 40, b },
        { m, k, b: 7 },
      ],
      ...[
        { m, k, b: '' },
        { m, k, b: b.slice(1) },
        { m, k, b: `${b}AAAA` },
        { m, k, b: b.slice(0, -4) },
      ],
      ...[
        { m, k, b: `!${b.slice(1)}` },
        { m, k, b: `\u0100${b.slice(1)}` },
        { m: 99, k, b },
        { m: 2 ** 50, k, b },
      ],
      ...[{ m, k, b: `====${b.slice(4)}` }],
    ];
    for (const json of wrong)
      expect(
        codeOf(() => Filter.fromJSON(json as never)),
        JSON.stringify(json),
      ).toBeDefined();
    for (const json of [undefined, null, 7]) expect(() => Filter.fromJSON(json as never)).toThrow(TypeError);
  });
});
