// What only the binary fuse filter has: all its keys at once, and cells of any width.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as wasm from '../src/entries/fuse.ts';
import * as js from '../src/entries/fuse-js.ts';
import { bytesOf, Fuse, murmur3 } from './oracle.ts';

interface Vector {
  readonly count: number;
  readonly errorRate?: number;
  readonly bits: number;
  readonly seed?: number;
  readonly segmentLength: number;
  readonly segments: number;
  readonly cells: number;
  readonly attempt: number;
  readonly positives: number;
  readonly digest: string;
}

const { vectors } = JSON.parse(readFileSync(new URL('vectors/fuse.json', import.meta.url), 'utf8')) as {
  vectors: readonly Vector[];
};

/** The offset of the body in a file. */
const BODY_AT = 128;

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const bodyOf = (filter: wasm.BinaryFuseFilter): Uint8Array => filter.toBytes().subarray(BODY_AT);

describe.each([
  { name: 'wasm', api: wasm },
  { name: 'js', api: js },
])('a binary fuse filter: $name', ({ name, api: { BinaryFuseFilter } }) => {
  it.each(vectors)('is as specified: $count keys, $bits bits', (vector) => {
    const { count, errorRate, bits, seed } = vector;
    const keys = [...range(0, count), ...range(0, count >> 1)];
    const options = errorRate === undefined ? { fingerprintBits: bits, seed } : { errorRate, seed };
    const filter = BinaryFuseFilter.from(keys, options);
    expect(filter).toMatchObject({ kind: 'fuse', engine: name, cellCount: vector.cells, cellBits: bits, hashes: 3 });
    expect(filter).toMatchObject({ seed: seed ?? 0, capacity: count, errorRate: count ? 2 ** -bits : 0 });
    const file = filter.toBytes();
    const view = new DataView(file.buffer);
    expect([64, 68, 72].map((at) => view.getUint32(at, true))).toEqual([
      Math.log2(vector.segmentLength),
      vector.segments,
      vector.attempt,
    ]);
    expect(view.getBigUint64(80, true)).toBe(BigInt(count));
    expect(murmur3(file.subarray(BODY_AT), 0)[0]).toBe(BigInt(`0x${vector.digest}`));
    expect(filter.hasMany(keys)).toEqual(new Uint8Array(keys.length).fill(1));
    expect(filter.pick(range(count, count + 2000))).toHaveLength(vector.positives);
  });

  it('has the same bytes as the oracle, for any keys, width and seed', () => {
    const keys = fc.array(fc.oneof(fc.string(), fc.integer(), fc.uint8Array()), { maxLength: 300 });
    const bits = fc.integer({ min: 1, max: 32 });
    fc.assert(
      fc.property(keys, bits, fc.integer({ min: 0, max: 2 ** 32 - 1 }), (given, fingerprintBits, seed) => {
        const oracle = new Fuse(
          given.map((key) => murmur3(bytesOf(key), seed)[0]),
          fingerprintBits,
        );
        const filter = BinaryFuseFilter.from(given, { fingerprintBits, seed });
        expect(bodyOf(filter)).toEqual(oracle.bytes());
        expect(filter.estimateCount()).toBe(oracle.count);
        for (const key of [...given, ...range(0, 50)]) {
          expect(filter.has(key)).toBe(oracle.has(murmur3(bytesOf(key), seed)[0]));
        }
      }),
      { seed: 5, numRuns: 200 },
    );
  });
});
