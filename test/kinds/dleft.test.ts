// What only the d-left counting filter has: cells that count, and tables of buckets. test/filters/bounded.test.ts has
// what it shares with others.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DLeftCountingBloomFilter, type DLeftCountingBloomFilterOptions } from '../../src/entries/dleft.ts';
import type { FilterFullError } from '../../src/index.ts';
import { expectRefused, setBit } from '../format/refusal.ts';
import { forge } from '../format/saved.ts';
import { range } from '../shared/integers.ts';
import { murmur3 } from '../shared/oracle.ts';
import { refuses } from '../shared/refuses.ts';

const bodyOf = (filter: DLeftCountingBloomFilter): Uint8Array => filter.toBytes().subarray(64);
const digestOf = (bytes: Uint8Array): string => murmur3(bytes, 0)[0].toString(16).padStart(16, '0');

/**
 * What an independent implementation computed. The integers below `keys` are added, each `times` in turn, and `removed`
 * removals follow, of the keys in turn. Of the next 2000 integers, `positives` look present; the digest is h1 of the hash
 * of the body.
 */
interface Vector extends Record<'keys' | 'times' | 'removed' | 'refused' | 'count' | 'countOf0' | 'positives', number> {
  readonly options: DLeftCountingBloomFilterOptions;
  readonly size: readonly [buckets: number, remainderBits: number];
  readonly digest: string;
}

const vectors = JSON.parse(readFileSync('test/vectors/dleft.json', 'utf8')) as readonly Vector[];

describe('DLeftCountingBloomFilter', () => {
  it.each(vectors)('agrees with an independent implementation: $options', (vector) => {
    const {
      options,
      size,
      keys: below,
      times,
      removed,
      refused: refusals,
      count,
      countOf0,
      positives,
      digest,
    } = vector;
    const filter = new DLeftCountingBloomFilter(options);
    expect([filter.buckets, filter.remainderBits]).toEqual(size);
    const keys = range(0, below).flatMap((key) => Array<number>(times).fill(key));
    expect(keys.filter((key) => refuses(filter, key)).length).toBe(refusals);
    const gone = range(0, removed).map((i) => i % below);
    for (const key of gone) filter.remove(key);
    expect([filter.count, filter.countOf(0), digestOf(bodyOf(filter))]).toEqual([count, countOf0, digest]);
    expect(filter.pick(range(below, below + 2000)).length).toBe(positives);
    // In batches: each begins after the key for which the one before had no room.
    const batch = new DLeftCountingBloomFilter(options);
    let rest = keys;
    for (let refused = 0; rest.length > 0; refused++) {
      expect(refused).toBeLessThanOrEqual(refusals);
      try {
        batch.addMany(rest);
        rest = [];
      } catch (error) {
        rest = rest.slice((error as FilterFullError).position + 1);
      }
    }
    batch.removeMany(gone);
    expect([batch.count, digestOf(bodyOf(batch))]).toEqual([count, digest]);
  });

  it.each([4, 13, 15, 30])('refuses files with a cell that has a remainder and no count: %i bits', (remainderBits) => {
    const filter = new DLeftCountingBloomFilter({ buckets: 3, remainderBits }).addMany(range(0, 30));
    const file = filter.toBytes();
    const width = remainderBits + 2;
    const byteOf = (bit: number): number => file[64 + (bit >> 3)] as number;
    const withBit = (bit: number): Uint8Array => forge(file, setBit(8 * 64 + bit));
    const isFree = (at: number): boolean =>
      range(at, at + width).every((bit) => ((byteOf(bit) >> (bit & 7)) & 1) === 0);
    const free = range(0, 96)
      .map((cell) => cell * width)
      .filter(isFree);
    expect(free.length).toBe(96 - Math.round(96 * filter.fillRatio()));
    for (const at of free) {
      for (const bit of [at + 2, at + width - 1]) {
        expectRefused(DLeftCountingBloomFilter, withBit(bit), /its cells are wrong$/, `bit ${bit}`);
      }
      // A count with the remainder 0 is possible.
      expect(DLeftCountingBloomFilter.fromBytes(withBit(at)).count).toBe(31);
    }
  });
});
