import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { RedisBloomDump as JsRedisBloomDump } from '../../src/entries/js/redisbloom.ts';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { naturalLog } from '../../src/foreign/logarithm.ts';
import { FilterFullError } from '../../src/index.ts';
import { errorOf } from '../format/saved.ts';
import { classOn, watched, withoutMemory } from '../shared/open.ts';
import { codeOf } from './formats.ts';
import { playVectors, readVectors, type Vector } from './vectors.ts';

interface DumpVector extends Vector, Readonly<Record<'error' | 'capacity' | 'expansion' | 'options' | 'size', number>> {
  readonly links: readonly { readonly bits: number; readonly hashes: number; readonly bpe: number }[];
  readonly chunks: readonly { readonly iterator: number; readonly base64: string }[];
}

const read = readVectors<{ readonly vectors: readonly DumpVector[] }>('redisbloom').vectors;

/** The replies of BF.SCANDUMP. */
const chunksOf = ({ chunks }: DumpVector) =>
  chunks.map(({ iterator, base64 }) => ({ iterator, data: Uint8Array.from(Buffer.from(base64, 'base64')) }));

// As the vectors of other systems have them: all chunks in a row.
const vectors = read.map((vector) => {
  const bytes = Buffer.concat(chunksOf(vector).map(({ data }) => data));
  const m = vector.links.reduce((sum, { bits }) => sum + bits, 0);
  const serializedSha256 = createHash('sha256').update(bytes).digest('hex');
  const saved = { serializedBase64: bytes.toString('base64'), serializedLength: bytes.length, serializedSha256 };
  return { ...vector, m, k: vector.links[0]?.hashes ?? 0, ...saved };
});

const optionsOf = ({ capacity, error: errorRate, expansion, options }: DumpVector) => {
  const nonScaling = options === 13;
  return { capacity, errorRate, expansion, nonScaling };
};

const KEYS = Array.from({ length: 20_000 }, (_, i) => `key ${i}`);

playVectors(vectors, {
  make: (vector) => new RedisBloomDump(optionsOf(vector)),
  load: (bytes) => RedisBloomDump.fromBytes(bytes),
  save: (filter) => filter.toChunks(),
});

describe('a filter of RedisBloom', () => {
  it.each(vectors)('reads and writes its replies: $id', async (vector) => {
    const chunks = chunksOf(vector);
    const filter = RedisBloomDump.fromChunks(chunks);
    expect(filter).toMatchObject({ ...optionsOf(vector), links: vector.links.length, count: vector.size, seed: 0 });
    expect([...filter.toScanDump()]).toEqual(chunks);
    const asNodeRedis = chunks.map(({ iterator, data }) => ({ iterator, chunk: Buffer.from(data) }));
    const end = { iterator: 0, data: new Uint8Array(0) };
    const asIoredis = [...chunks, end].map(({ iterator, data }) => [iterator, data] as const);
    expect(RedisBloomDump.fromChunks(asNodeRedis).toBytes()).toEqual(filter.toBytes());
    expect(RedisBloomDump.fromChunks(asIoredis).toBytes()).toEqual(filter.toBytes());
    const buffer = new Uint8Array(filter.toBytes().length);
    const overwritten = async function* () {
      for (const [iterator, data] of asIoredis) {
        buffer.set(data);
        yield [iterator, buffer.subarray(0, data.length)] as const;
      }
    };
    expect((await RedisBloomDump.fromChunks(overwritten())).toBytes()).toEqual(filter.toBytes());
    const foreign = runInNewContext('Uint8Array.from(bytes)', { bytes: filter.toBytes() }) as Uint8Array;
    expect(RedisBloomDump.fromChunks([foreign]).equals(filter)).toBe(true);
  });

  it('has the same links with flags, on the other engine, and as a copy', () => {
    const options = { capacity: 100, errorRate: 0.05 };
    const batch = new RedisBloomDump(options).addMany(KEYS);
    const singles = new RedisBloomDump(options);
    const flags = new Uint8Array(KEYS.length);
    const flagged = new RedisBloomDump(options).addMany(KEYS, flags);
    expect(KEYS.map((key) => Number(singles.add(key)))).toEqual([...flags]);
    expect([batch.links, batch.count]).toEqual([8, flags.reduce((sum, flag) => sum + flag, 0)]);
    for (const other of [flagged, new JsRedisBloomDump(options).addMany(KEYS), batch.clone()]) {
      expect(other.toBytes()).toEqual(batch.toBytes());
      expect(batch.equals(other as RedisBloomDump)).toBe(true);
    }
    // As many keys, but another one in the last link.
    const last = new RedisBloomDump(options).addMany([...KEYS.slice(0, -1), 'another']);
    expect([last.count, batch.equals(last)]).toEqual([batch.count, false]);
    const others = KEYS.map((key) => `${key}!`);
    expect(batch.pick(others)).toEqual(others.filter((key) => singles.has(key)));
    expect(batch.estimateErrorRate()).toBeLessThan(0.05);
    expect(batch.estimateCount()).toBeGreaterThan(18_500);
  });

  it('adds on where a dump ended', () => {
    const half = new RedisBloomDump({ capacity: 100 }).addMany(KEYS.slice(0, 5000));
    const whole = RedisBloomDump.fromChunks(half.toScanDump()).addMany(KEYS.slice(5000));
    expect(whole.toBytes()).toEqual(new RedisBloomDump({ capacity: 100 }).addMany(KEYS).toBytes());
    const { links } = half;
    half.clear();
    expect([links > 1, half.links, half.count, half.has('key 0')]).toEqual([true, 1, 0, false]);
    expect(half.toBytes()).toEqual(new RedisBloomDump({ capacity: 100 }).toBytes());
  });

  it('is made from keys whose number is unknown, unless it cannot grow', () => {
    const filter = RedisBloomDump.from(KEYS.values(), { errorRate: 0.001 });
    expect(filter.equals(RedisBloomDump.from(KEYS, { capacity: 10_000, errorRate: 0.001 }))).toBe(true);
    const unknown = 'options.capacity must be given, because the number of keys is unknown';
    expect(() => RedisBloomDump.from(KEYS.values(), { nonScaling: true })).toThrow(unknown);
    expect(RedisBloomDump.from(KEYS.slice(0, 9), { nonScaling: true }).capacity).toBe(9);
    expect(RedisBloomDump.from(['a', 'b'])).toMatchObject({ capacity: 2, count: 2, errorRate: 0.01, expansion: 2 });
  });

  it('refuses keys beyond its capacity if it is nonScaling, but not those that look present', () => {
    const filter = new RedisBloomDump({ capacity: 10, nonScaling: true });
    const keys = KEYS.slice(0, 10);
    expect(filter.addMany([...keys, ...keys]).count).toBe(10);
    expect(filter.add('key 3')).toBe(false);
    const error = errorOf(() => filter.addMany(['key 1', 'another'])) as FilterFullError;
    expect(error).toBeInstanceOf(FilterFullError);
    expect([error.code, error.position]).toEqual(['FULL', 1]);
    expect(() => filter.add('another')).toThrow(/^a filter of 10 keys cannot grow: it is nonScaling/);
    expect(errorOf(() => filter.add('x'.repeat(200_000)))).toMatchObject({ code: 'FULL', position: 0 });
    expect(filter.toBytes()).toEqual(new RedisBloomDump({ capacity: 10, nonScaling: true }).addMany(keys).toBytes());
  });

  it('writes links in chunks of at most 16 MiB, none with bytes of two links', () => {
    const filter = new RedisBloomDump({ capacity: 14_000_000, errorRate: 0.01 });
    const chunks = [...filter.toScanDump()];
    const bytes = filter.bits / 8;
    expect(chunks.map(({ data }) => data.length)).toEqual([73, 2 ** 24, bytes - 2 ** 24]);
    expect(chunks.map(({ iterator }) => iterator)).toEqual([1, 1 + 2 ** 24, 1 + bytes]);
    expect(RedisBloomDump.fromChunks(chunks).equals(filter)).toBe(true);
  });

  const whether = [{}, { nonScaling: false }, { nonScaling: true }];
  it.each(whether)('takes an expansion of 0 for nonScaling, as the module does: %o', (more) => {
    const filter = new RedisBloomDump({ capacity: 10, expansion: 0, ...more }).addMany(KEYS.slice(0, 10));
    expect(filter).toMatchObject({ expansion: 0, nonScaling: true, errorRate: 0.01 });
    expect(() => filter.addMany(KEYS)).toThrow(FilterFullError);
    expect(RedisBloomDump.fromBytes(filter.toBytes()).equals(filter)).toBe(true);
    expect(filter.bits).toBe(new RedisBloomDump({ capacity: 10, nonScaling: true }).bits);
    expect(() => RedisBloomDump.from(KEYS.values(), { expansion: 0, ...more })).toThrow('options.capacity must be');
  });

  it('does not grow out of proportion, whatever a forged dump says', () => {
    const bytes = new RedisBloomDump({ capacity: 10 }).addMany(KEYS.slice(0, 50)).toBytes();
    new DataView(bytes.buffer).setUint32(16, 11_000_000, true);
    const filter = RedisBloomDump.fromBytes(bytes).addMany(KEYS.slice(0, 10));
    const { links } = filter;
    expect(() => filter.addMany(KEYS)).toThrow(/ cannot grow: it would grow by [\d.]+ MB, of at most 67.1 MB$/);
    expect(filter.links).toBe(links);
    // What an honest filter of few keys may ask for.
    expect(new RedisBloomDump({ capacity: 100, expansion: 10_000 }).addMany(KEYS.slice(0, 200)).links).toBe(2);
  });

  it('refuses more links than there are error rates', () => {
    const bytes = new RedisBloomDump({ capacity: 1 }).toBytes();
    const [head, link, bits] = [bytes.slice(0, 20), bytes.slice(20, 73), bytes.slice(73)];
    const dumpOf = (links: number): Uint8Array => {
      new DataView(head.buffer).setUint32(8, links, true);
      const each = (part: Uint8Array) => Array.from({ length: links }, () => part);
      return Buffer.concat([head, ...each(link), ...each(bits)]);
    };
    expect(RedisBloomDump.fromBytes(dumpOf(1075)).has('a')).toBe(false);
    expect(codeOf(() => RedisBloomDump.fromBytes(dumpOf(1076)))).toBe('DAMAGED');
  });

  const others = [{ expansion: 3 }, { errorRate: 0.005, nonScaling: true }];
  it.each(others)('differs from one of other options: %o', (more) => {
    const [filter, other] = [new RedisBloomDump({ capacity: 10 }), new RedisBloomDump({ capacity: 10, ...more })];
    expect([other.bits, filter.equals(other)]).toEqual([filter.bits, false]);
  });

  it('frees its links if there is no memory for one of them', () => {
    const { engine, regions } = watched(RedisBloomDump.engine);
    const limited = withoutMemory(engine, () => regions.length === 2);
    const Limited = classOn(RedisBloomDump, limited);
    const bytes = new RedisBloomDump({ capacity: 10 }).addMany(KEYS.slice(0, 50)).toBytes();
    expect(() => Limited.fromBytes(bytes)).toThrow('no memory');
    expect(regions.map(({ disposed }) => disposed)).toEqual([true, true]);
  });

  it('refuses replies that are missing, in another order, or something else', () => {
    const chunks = [...new RedisBloomDump({ capacity: 10 }).addMany(KEYS.slice(0, 50)).toScanDump()];
    const [header, first, second, third] = chunks;
    const nothing = new Uint8Array(0);
    const wrong = [[], [header], [first], [header, second, first, third], [header, first, first], chunks.slice(0, 3)];
    // Nothing comes after the last reply but that reply itself.
    wrong.push([...chunks, { iterator: 0, data: nothing }, header]);
    wrong.push([...chunks, { iterator: 0, data: Uint8Array.of(1) }]);
    for (const replies of wrong) {
      expect(codeOf(() => RedisBloomDump.fromChunks(replies as typeof chunks))).toBeDefined();
    }
    const another = /not a filter of RedisBloom: the iterator of chunks\[1\] must be \d+, got \d+/;
    expect(() => RedisBloomDump.fromChunks([header, second] as typeof chunks)).toThrow(another);
    const others = [[7], [null], ['text'], [['1', new Uint8Array(100)]], [[1, 'text']], [{ iterator: 1 }], [[1]], [{}]];
    for (const replies of others) expect(() => RedisBloomDump.fromChunks(replies as never)).toThrow(TypeError);
    expect(() => RedisBloomDump.fromChunks([[1, 'text']] as never)).toThrow(/let the client return buffers/);
    expect(() => RedisBloomDump.fromChunks([header, [0, nothing], 7] as never)).toThrow(/^chunks\[2\] must be/);
    expect(() => RedisBloomDump.fromChunks(7 as never)).toThrow(TypeError);
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
