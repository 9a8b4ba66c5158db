import { describe, expect, it } from 'vitest';
import { GoBloomFilter } from '../../src/entries/go.ts';
import { codeOf } from './formats.ts';
import { playVectors, readVectors, type Vector } from './vectors.ts';

type GoVector = Vector & { readonly json?: string };
type File = Readonly<{ sizing: readonly Record<'n' | 'p' | 'm' | 'k', number>[]; vectors: readonly GoVector[] }>;

const { sizing, vectors } = readVectors<File>('go-bloom-v3');

const bytesOf = (text = ''): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));

/** Whether the bit set of a filter is empty until a key is added: one of `New(0, 0)`. Only loading makes such filters. */
const isUnset = ({ id }: GoVector): boolean => id === 'm0-k0-empty';

/** The bytes of a filter whose program has called `bitset.LittleEndian()`. */
function littleEndian(bytes: Uint8Array): Uint8Array {
  const reversed = bytes.slice();
  for (let at = 16; at < bytes.length; at += 8) reversed.subarray(at, at + 8).reverse();
  return reversed;
}

playVectors(vectors, {
  make: (vector) =>
    isUnset(vector)
      ? GoBloomFilter.fromBytes(bytesOf(vector.serializedBase64))
      : new GoBloomFilter({ bits: vector.m, hashes: vector.k }),
  load: (bytes) => GoBloomFilter.fromBytes(bytes),
  save: (filter) => filter.toChunks(),
});

it('a filter has the size that the library estimates', () => {
  for (const { n, p, m, k } of sizing) {
    // Larger ones take too long to make.
    if (m > 2 ** 24) continue;
    const { bits, hashes } = new GoBloomFilter({ capacity: n, errorRate: p });
    expect([n, p, bits, hashes]).toEqual([n, p, m, k]);
  }
});

describe('a filter of bits-and-blooms', () => {
  const texts = vectors.flatMap(({ id, json, serializedBase64 }) => (json ? [{ id, json, serializedBase64 }] : []));
  it.each(texts)('is the JSON of the library: $id', ({ json, serializedBase64 }) => {
    const bytes = bytesOf(serializedBase64);
    expect(JSON.stringify(GoBloomFilter.fromBytes(bytes))).toBe(json);
    const { m, k, b } = JSON.parse(json);
    const standard = b.replaceAll('-', '+').replaceAll('_', '/');
    const reversed = Buffer.from(littleEndian(bytes).subarray(16)).toString('base64');
    for (const form of [json, { m, k, b }, { m, k, b: standard }, { m, k, b: reversed }]) {
      expect(GoBloomFilter.fromJSON(form).toBytes()).toEqual(bytes);
    }
  });

  // The last word is used in part, and whole.
  it.each([1009, 1024])('is loaded from little-endian bytes: %i bits', (bits) => {
    const bytes = new GoBloomFilter({ bits, hashes: 40 }).addMany(['a', 'b', 'c', 'd']).toBytes();
    expect(GoBloomFilter.fromBytes(littleEndian(bytes)).toBytes()).toEqual(bytes);
  });

  it('has an empty bit set until a key is added, if it was made by New(0, 0)', () => {
    const filter = GoBloomFilter.fromBytes(bytesOf(vectors.find(isUnset)?.serializedBase64));
    expect(JSON.stringify(filter)).toBe('{"m":1,"k":1,"b":"AAAAAAAAAAA="}');
    expect(GoBloomFilter.fromJSON(JSON.stringify(filter)).toBytes()).toHaveLength(24);
    expect(filter.clone().toBytes()).toHaveLength(24);
    expect(filter.has('a')).toBe(false);
    const one = new GoBloomFilter({ bits: 1, hashes: 1 }).addMany(['a']);
    expect(filter.union(one).toBytes()).toEqual(one.toBytes());
    filter.add('a');
    expect(filter.toBytes()).toEqual(one.toBytes());
  });

  // The text is made in parts of 8192 characters.
  it.each([49_000, 50_000, 200_000])('is JSON of any length: %i bits', (bits) => {
    const filter = new GoBloomFilter({ bits, hashes: 9 }).addMany(Array.from({ length: 2000 }, (_, i) => `${i}`));
    const { b } = filter.toJSON();
    expect(Buffer.from(b, 'base64url')).toEqual(Buffer.from(filter.toBytes().subarray(16)));
    expect(GoBloomFilter.fromJSON(filter.toJSON()).toBytes()).toEqual(filter.toBytes());
  });

  it('refuses JSON of anything else', () => {
    const { m, k, b } = new GoBloomFilter({ bits: 100, hashes: 3 }).toJSON();
    expect(codeOf(() => GoBloomFilter.fromJSON({ m, k, b }))).toBeUndefined();
    for (const json of ['', '{', '[]', '7', 'null', '"text"', '{"m":1}']) {
      const load = (): unknown => GoBloomFilter.fromJSON(json);
      expect(codeOf(load), json).toBeDefined();
    }
    const wrongs: readonly (readonly [wrong: object, message: string])[] = [
      [{ m: 0 }, 'm must be an integer from 1 to 2^53 - 1, got 0'],
      [{ m: 1e300 }, 'm must be an integer'],
      [{ m: '100' }, 'm must be an integer from 1 to 2^53 - 1, got "100"'],
      [{ m: 99 }, 'its bit set has 100 bits, of 99'],
      [{ m: 2 ** 50 }, 'its bit set has 100 bits'],
      [{ k: 0.5 }, 'k must be an integer from 1 to 65535, got 0.5'],
      [{ k: 0 }, 'k must be an integer from 1 to 65535, got 0'],
      [{ k: 2 ** 64 + 4096 }, 'k must be an integer from 1 to 65535'],
      [{ b: 7 }, 'b must be a text in base64, got 7'],
      [{ b: '' }, 'b must be a text in base64'],
      [{ b: b.slice(1) }, 'b is not base64 with padding'],
      [{ b: `${b}AAAA` }, 'b has 36 characters, of at most 32'],
      [{ b: b.slice(0, -4) }, 'TRUNCATED'],
      [{ b: `!${b.slice(1)}` }, 'b is not base64'],
      [{ b: `\u0100${b.slice(1)}` }, 'b is not base64'],
      [{ b: `====${b.slice(4)}` }, 'b is not base64'],
    ];
    for (const [wrong, message] of wrongs) {
      const load = (): unknown => GoBloomFilter.fromJSON({ m, k, b, ...wrong } as never);
      if (message === 'TRUNCATED') expect(codeOf(load)).toBe(message);
      else expect(load).toThrow(`not a filter of bits-and-blooms: ${message}`);
    }
    for (const json of [undefined, null, 7]) {
      expect(() => GoBloomFilter.fromJSON(json as never)).toThrow(/^json must be a string or an object, got /);
    }
  });
});
