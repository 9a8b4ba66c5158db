import { describe, expect, it } from 'vitest';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { RedisBloomDump as JsRedisBloomDump } from '../../src/entries/redisbloom-js.ts';
import { naturalLog } from '../../src/foreign/logarithm.ts';
import { column, FilterFullError, type Keys, lines, SavedFilterError } from '../../src/index.ts';
import { records } from '../../src/keys/records.ts';
import { builds } from '../kernel/builds.ts';
import { Layout } from '../kernel/layout.ts';
import { randomFrom } from '../shared/random.ts';
import { type HashFile, keysOf, playVectors, readVectors, type Vector } from './vectors.ts';

interface DumpVector extends Vector {
  readonly error: number;
  readonly capacity: number;
  readonly expansion: number;
  readonly options: number;
  readonly size: number;
  readonly links: readonly { readonly bits: number; readonly hashes: number; readonly bpe: number }[];
  readonly chunks: readonly { readonly iterator: number; readonly base64: string }[];
}

const { createHash } = await import('node:crypto');
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const read = readVectors<{ readonly vectors: readonly DumpVector[] }>('redisbloom').vectors;

/** The replies of BF.SCANDUMP. */
const chunksOf = ({ chunks }: DumpVector) =>
  chunks.map(({ iterator, base64 }) => ({ iterator, data: Uint8Array.from(Buffer.from(base64, 'base64')) }));

// As the vectors of other systems have them: all chunks in a row.
const vectors = read.map((vector) => {
  const bytes = Buffer.concat(chunksOf(vector).map(({ data }) => data));
  const m = vector.links.reduce((sum, { bits }) => sum + bits, 0);
  const whole = { m, k: vector.links[0]?.hashes ?? 0, serializedLength: bytes.length, serializedSha256: sha256(bytes) };
  return { ...vector, ...whole, serializedBase64: bytes.toString('base64') };
});

const optionsOf = ({ capacity, error, expansion, options }: DumpVector) => ({
  capacity,
  errorRate: error,
  expansion,
  nonScaling: options === 13,
});

const engines = [
  { name: 'wasm', Filter: RedisBloomDump, Twin: JsRedisBloomDump },
  { name: 'js', Filter: JsRedisBloomDump, Twin: RedisBloomDump },
];

const codeOf = (load: () => unknown): string | undefined => {
  try {
    load();
  } catch (error) {
    if (error instanceof SavedFilterError) return error.code;
    throw error;
  }
  return undefined;
};

/** The bytes of a filter of three links, with changes. */
function changed(change: (view: DataView) => void): Uint8Array {
  const keys = Array.from({ length: 50 }, (_, i) => `key ${i}`);
  const bytes = new RedisBloomDump({ capacity: 10 }).addMany(keys).toBytes();
  change(new DataView(bytes.buffer));
  return bytes;
}

const KEYS = Array.from({ length: 20_000 }, (_, i) => `key ${i}`);

describe.each(engines)('a filter of RedisBloom: $name', ({ Filter, Twin }) => {
  describe('as the module makes it', () => {
    playVectors(vectors, true, {
      make: (vector) => new Filter(optionsOf(vector)),
      load: (bytes) => Filter.fromBytes(bytes),
      save: (filter) => filter.toChunks(),
    });
  });

  it.each(vectors.map((vector) => ({ id: vector.id, vector })))(
    'reads and writes its replies: $id',
    async ({ vector }) => {
      const chunks = chunksOf(vector);
      const filter = Filter.fromChunks(chunks);
      expect(filter.count).toBe(vector.size);
      expect([filter.links, filter.capacity, filter.errorRate]).toEqual([
        vector.links.length,
        vector.capacity,
        vector.error,
      ]);
      expect([filter.expansion, filter.nonScaling]).toEqual([vector.expansion, vector.options === 13]);
      expect([...filter.toScanDump()]).toEqual(chunks);
      const asNodeRedis = chunks.map(({ iterator, data }) => ({ iterator, chunk: Buffer.from(data) }));
      const asIoredis = [
        ...chunks.map(({ iterator, data }) => [iterator, data] as const),
        [0, new Uint8Array(0)] as const,
      ];
      expect(Filter.fromChunks(asNodeRedis).toBytes()).toEqual(filter.toBytes());
      expect(Filter.fromChunks(asIoredis).toBytes()).toEqual(filter.toBytes());
      const later = async function* () {
        yield* asIoredis;
      };
      expect((await Filter.fromChunks(later())).toBytes()).toEqual(filter.toBytes());
    },
  );

  it('has the same links with single keys, batches, and on the other engine', () => {
    const options = { capacity: 100, errorRate: 0.05 };
    const batch = new Filter(options).addMany(KEYS);
    const singles = new Filter(options);
    const flags = new Uint8Array(KEYS.length);
    const flagged = new Filter(options).addMany(KEYS, flags);
    expect(KEYS.map((key) => Number(singles.add(key)))).toEqual([...flags]);
    expect(batch.links).toBe(8);
    expect(batch.count).toBe(flags.reduce((sum, flag) => sum + flag, 0));
    for (const other of [singles, flagged, new Twin(options).addMany(KEYS), batch.clone()]) {
      expect(other.toBytes()).toEqual(batch.toBytes());
      expect(batch.equals(other as RedisBloomDump)).toBe(true);
    }
    expect(batch.hasMany(KEYS).every(Boolean)).toBe(true);
    const others = KEYS.map((key) => `${key}!`);
    expect(batch.pick(others)).toEqual(others.filter((key) => singles.has(key)));
    expect(batch.omit(others)).toEqual(others.filter((key) => !singles.has(key)));
    expect(batch.estimateErrorRate()).toBeLessThan(0.05);
    expect(batch.estimateCount()).toBeGreaterThan(18_500);
  });

  it('adds on where a dump ended', () => {
    const half = new Filter({ capacity: 100 }).addMany(KEYS.slice(0, 5000));
    const whole = Filter.fromChunks(half.toScanDump()).addMany(KEYS.slice(5000));
    expect(whole.toBytes()).toEqual(new Filter({ capacity: 100 }).addMany(KEYS).toBytes());
    const { links } = half;
    half.clear();
    expect([links > 1, half.links, half.count, half.has('key 0')]).toEqual([true, 1, 0, false]);
    expect(half.toBytes()).toEqual(new Filter({ capacity: 100 }).toBytes());
  });

  it('is made from keys whose number is unknown, unless it cannot grow', () => {
    const filter = Filter.from(KEYS.values(), { errorRate: 0.001 });
    expect(filter.equals(Filter.from(KEYS, { capacity: 10_000, errorRate: 0.001 }))).toBe(true);
    expect(() => Filter.from(KEYS.values(), { nonScaling: true })).toThrow(
      'options.capacity must be given, because the number of keys is unknown',
    );
    expect(Filter.from(KEYS.slice(0, 9), { nonScaling: true }).capacity).toBe(9);
  });

  it('refuses keys beyond its capacity if it is nonScaling, but not those that look present', () => {
    const filter = new Filter({ capacity: 10, nonScaling: true });
    const keys = KEYS.slice(0, 10);
    expect(filter.addMany([...keys, ...keys]).count).toBe(10);
    expect(filter.add('key 3')).toBe(false);
    const error = (() => {
      try {
        filter.addMany(['key 1', 'another']);
      } catch (thrown) {
        return thrown as FilterFullError;
      }
      return undefined;
    })();
    expect(error).toBeInstanceOf(FilterFullError);
    expect([error?.code, error?.position]).toEqual(['FULL', 1]);
    expect(() => filter.add('another')).toThrow(/^a filter of 10 keys cannot grow: it is nonScaling/);
    expect(filter.toBytes()).toEqual(new Filter({ capacity: 10, nonScaling: true }).addMany(keys).toBytes());
  });

  it('writes links in chunks of at most 16 MiB, none with bytes of two links', () => {
    const filter = new Filter({ capacity: 14_000_000, errorRate: 0.01 });
    const chunks = [...filter.toScanDump()];
    const bytes = filter.bits / 8;
    expect(chunks.map(({ data }) => data.length)).toEqual([73, 2 ** 24, bytes - 2 ** 24]);
    expect(chunks.map(({ iterator }) => iterator)).toEqual([1, 1 + 2 ** 24, 1 + bytes]);
    expect(Filter.fromChunks(chunks).equals(filter)).toBe(true);
  });

  it.each([98_305, 200_000, 200_001, 200_007, 200_008, 200_015])('takes keys of %i bytes in every form', (length) => {
    const random = randomFrom(length);
    const text = Array.from({ length }, () => String.fromCharCode(97 + random(26))).join('');
    const bytes = new TextEncoder().encode(text);
    const make = (): RedisBloomDump => new Filter({ capacity: 2000, errorRate: 0.0001 });
    const expected = make().addMany([text, 'short']).toBytes();
    const hashes = hashesOf(bytes);
    const { bits, hashes: k } = make();
    for (let i = 0n; i < k; i++) {
      const index = Number(BigInt.asUintN(64, hashes.a + i * hashes.b) % BigInt(bits));
      expect((expected[73 + (index >> 3)] ?? 0) & (1 << (index & 7)), `bit ${i}`).not.toBe(0);
    }
    const collections: Keys[] = [
      [bytes, 'short'],
      lines(Buffer.from(`${text}\nshort\n`)),
      lines(Buffer.from(`short\r\n${text}`)),
      column(Buffer.concat([bytes, Buffer.from('short')]), Int32Array.of(0, length, length + 5)),
    ];
    for (const keys of collections) expect(make().addMany(keys).toBytes()).toEqual(expected);
    expect(make().addMany(records(bytes, length)).add('short')).toBe(true);
    const one = make();
    expect([one.add(text), one.add('short'), one.has(bytes), one.add(bytes)]).toEqual([true, true, true, false]);
    expect(one.toBytes()).toEqual(expected);
    expect(new Twin({ capacity: 2000, errorRate: 0.0001 }).addMany([text, 'short']).toBytes()).toEqual(expected);
  });

  it('refuses numbers, which no item of Redis is', () => {
    const filter = new Filter({ capacity: 10 });
    const advice = /in Redis every key is a string, so pass String\(key\)/;
    for (const keys of [[1], [2n], new Uint32Array(2), new BigInt64Array(1)]) {
      expect(() => filter.addMany(keys)).toThrow(advice);
      expect(() => Filter.from(keys)).toThrow(advice);
    }
    expect(() => filter.add(1)).toThrow(TypeError);
    expect(() => filter.has(1n)).toThrow(advice);
    expect(filter.count).toBe(0);
    expect(Filter.from(['a', 'b'])).toMatchObject({ capacity: 2, count: 2, errorRate: 0.01 });
  });

  it('takes an expansion of 0 for nonScaling, as the module does', () => {
    for (const options of [{ expansion: 0 }, { expansion: 0, nonScaling: false }, { expansion: 0, nonScaling: true }]) {
      const filter = new Filter({ capacity: 10, ...options }).addMany(KEYS.slice(0, 10));
      expect([filter.expansion, filter.nonScaling, filter.errorRate]).toEqual([0, true, 0.01]);
      expect(() => filter.addMany(KEYS)).toThrow(FilterFullError);
      expect(Filter.fromBytes(filter.toBytes()).equals(filter)).toBe(true);
      expect(filter.bits).toBe(new Filter({ capacity: 10, nonScaling: true }).bits);
    }
    expect(() => Filter.from(new Set(KEYS).values(), { expansion: 0 })).toThrow('options.capacity must be given');
  });

  it('does not grow out of proportion, whatever a forged dump says', () => {
    const bytes = changed((view) => view.setUint32(16, 11_000_000, true));
    const filter = Filter.fromBytes(bytes).addMany(KEYS.slice(0, 10));
    const { links } = filter;
    expect(() => filter.addMany(KEYS)).toThrow(/ cannot grow: it would grow by [\d.]+ MB, of at most 67.1 MB$/);
    expect(filter.links).toBe(links);
    // What an honest filter of few keys may ask for.
    expect(new Filter({ capacity: 100, expansion: 10_000 }).addMany(KEYS.slice(0, 200)).links).toBe(2);
  });

  it('refuses more links than there are error rates', () => {
    const bytes = new Filter({ capacity: 1 }).toBytes();
    const [head, link, bits] = [bytes.slice(0, 20), bytes.slice(20, 73), bytes.slice(73)];
    const dumpOf = (links: number): Uint8Array => {
      new DataView(head.buffer).setUint32(8, links, true);
      const each = (part: Uint8Array) => Array.from({ length: links }, () => part);
      return Buffer.concat([head, ...each(link), ...each(bits)]);
    };
    expect(Filter.fromBytes(dumpOf(1075)).has('a')).toBe(false);
    expect(codeOf(() => Filter.fromBytes(dumpOf(1076)))).toBe('DAMAGED');
  });

  it('refuses options that the module does not have', () => {
    for (const options of [
      {},
      { capacity: 10, seed: 1 },
      { capacity: 10, growth: 2 },
      { capacity: 10, nonScaling: 1 },
    ]) {
      expect(() => new Filter(options as never)).toThrow(TypeError);
    }
    for (const options of [
      { capacity: 0 },
      { capacity: 10, errorRate: 0.3 },
      { capacity: 10, errorRate: 0 },
      { capacity: 10, expansion: -1 },
      { capacity: 10, expansion: 2 ** 32 },
      { capacity: 2 ** 53 - 1 },
    ]) {
      expect(() => new Filter(options)).toThrow(RangeError);
    }
    expect(() =>
      Filter.fromBytes(
        changed(() => {}),
        { numbers: 'int' },
      ),
    ).toThrow(TypeError);
  });

  it.each<[string, (view: DataView) => void, string]>([
    ['of power-of-two sizes', (view) => view.setUint32(12, 4, true), 'VERSION'],
    ['of hashes of 32 bits', (view) => view.setUint32(12, 1, true), 'VERSION'],
    ['of options that it does not know', (view) => view.setUint32(12, 21, true), 'VERSION'],
    ['of no links', (view) => view.setUint32(8, 0, true), 'DAMAGED'],
    ['of far more links than bytes', (view) => view.setUint32(8, 2 ** 32 - 1, true), 'TRUNCATED'],
    ['of fewer links', (view) => view.setUint32(8, 2, true), 'DAMAGED'],
    ['that cannot expand', (view) => view.setUint32(16, 0, true), 'DAMAGED'],
    ['of another number of keys', (view) => view.setUint32(0, 1000, true), 'DAMAGED'],
    ['of another number of bytes', (view) => view.setUint32(20, 8, true), 'DAMAGED'],
    ['of other bits', (view) => view.setUint32(28, 64, true), 'DAMAGED'],
    [
      'of a link of 2^60 bytes',
      (view) => {
        view.setBigUint64(20, 2n ** 60n, true);
        view.setBigUint64(28, 2n ** 63n, true);
      },
      'DAMAGED',
    ],
    [
      'of a link of 2^45 bytes',
      (view) => {
        view.setBigUint64(20, 2n ** 45n, true);
        view.setBigUint64(28, 2n ** 48n, true);
      },
      'TRUNCATED',
    ],
    ['of an error rate of 1', (view) => view.setFloat64(44, 1, true), 'DAMAGED'],
    ['of no error rate', (view) => view.setFloat64(44, NaN, true), 'DAMAGED'],
    ['of no bits for a key', (view) => view.setFloat64(52, NaN, true), 'DAMAGED'],
    [
      'of too many hashes',
      (view) => {
        view.setFloat64(52, 1e9, true);
        view.setUint32(60, Math.ceil(6.93147180559945e-1 * 1e9), true);
      },
      'DAMAGED',
    ],
    ['of another number of hashes', (view) => view.setUint32(60, 9, true), 'DAMAGED'],
    ['of no capacity', (view) => view.setBigUint64(64, 0n, true), 'DAMAGED'],
    ['of a capacity of 2^64 - 1', (view) => view.setBigUint64(64, 2n ** 64n - 1n, true), 'DAMAGED'],
    ['of a power of two', (view) => view.setUint8(72, 10), 'DAMAGED'],
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
  });

  it('refuses replies that are missing, in another order, or something else', () => {
    const chunks = [...Filter.fromBytes(changed(() => {})).toScanDump()];
    const [header, first, second, third] = chunks;
    const wrong = [[], [header], [first], [header, second, first, third], [header, first, first], chunks.slice(0, 3)];
    for (const replies of wrong) expect(codeOf(() => Filter.fromChunks(replies as typeof chunks))).toBeDefined();
    const others = [[7], [null], ['text'], [['1', new Uint8Array(100)]], [[1, 'text']], [{ iterator: 1 }], [[1]], [{}]];
    for (const replies of others) expect(() => Filter.fromChunks(replies as never)).toThrow(TypeError);
    expect(() => Filter.fromChunks([[1, 'text']] as never)).toThrow(/let the client return buffers/);
    expect(() => Filter.fromChunks(7 as never)).toThrow(TypeError);
  });
});

const M = 0xc6a4a7935bd1e995n;
const u64 = (x: bigint): bigint => BigInt.asUintN(64, x);

/** MurmurHash64A, as its author describes it. */
function murmur64a(key: Uint8Array, seed: bigint): bigint {
  const view = new DataView(key.buffer, key.byteOffset, key.length);
  let h = seed ^ u64(BigInt(key.length) * M);
  let at = 0;
  for (; at + 8 <= key.length; at += 8) {
    const k = u64(view.getBigUint64(at, true) * M);
    h = u64((h ^ u64((k ^ (k >> 47n)) * M)) * M);
  }
  if (at < key.length) {
    let rest = 0n;
    for (let i = key.length; i > at; ) rest = (rest << 8n) | BigInt(key[--i] ?? 0);
    h = u64((h ^ rest) * M);
  }
  h = u64((h ^ (h >> 47n)) * M);
  return h ^ (h >> 47n);
}

/** The hashes of a key. */
function hashesOf(key: Uint8Array): { a: bigint; b: bigint } {
  const a = murmur64a(key, M);
  return { a, b: murmur64a(key, a) };
}

const hashFile = readVectors<HashFile>('hashes');
const inputs = hashFile.inputs.flatMap(keysOf).map((key) => new Uint8Array(Buffer.from(key as string)));
const ofMurmur = hashFile.vectors.filter(({ algorithm }) => algorithm === 'murmur2_64a');

it.each(ofMurmur)(
  'the reference of these tests is MurmurHash64A under the seed $seedHex',
  ({ seedHex = '', hashes }) => {
    expect(inputs.map((input) => String(murmur64a(input, BigInt(seedHex))))).toEqual(hashes);
  },
);

describe.each(builds)('MurmurHash64A in $name', ({ open }) => {
  const random = randomFrom(64);
  const long = [500, 8191, 30_000].map((length) => Uint8Array.from({ length }, () => random(256)));
  const keys = [...inputs, ...long];
  const total = keys.reduce((sum, { length }) => sum + length, 0);
  const { kernel, memory } = open(4, 4, { module: 'redisbloom' });
  const layout = new Layout(memory);
  const chunk = layout.take(Uint8Array, total + 64);
  const ends = layout.take(Uint32Array, keys.length);
  const hashes = layout.take(BigUint64Array, 2 * keys.length);

  it.each([0, 1, 2, 3, 4, 5, 6, 7])('gives both hashes at alignment %i', (alignment) => {
    chunk.fill(0xff);
    let at = 0;
    for (const [i, key] of keys.entries()) {
      chunk.set(key, alignment + at);
      at += key.length;
      ends[i] = at;
    }
    kernel.hash_packed(chunk.byteOffset + alignment, ends.byteOffset, keys.length, 0, hashes.byteOffset);
    const expected = keys.map(hashesOf).flatMap(({ a, b }) => [a, b]);
    expect([...hashes]).toEqual(expected);
    const [asVectors] = ofMurmur;
    expect(
      [...hashes]
        .filter((_, i) => i % 2 === 0)
        .slice(0, inputs.length)
        .map(String),
    ).toEqual(asVectors?.hashes);
  });
});

it.each<[number, number]>([
  [0.0003125, 16.79853358181227],
  [0.0015, 13.53366506715475],
  [0.000046875, 20.747140271599577],
  [9.765625e-8, 33.59706716362454],
])('the bits for a key at %f are those that C computes', (errorRate, bitsPerKey) => {
  expect(-(naturalLog(errorRate) / 0.480453013918201)).toBe(bitsPerKey);
});
