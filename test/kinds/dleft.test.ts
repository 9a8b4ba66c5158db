// What only the d-left counting filter has: cells that count, and tables of buckets. test/filters/bounded.test.ts has
// what it shares with others.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DLeftCountingBloomFilter, type DLeftCountingBloomFilterOptions } from '../../src/entries/dleft.ts';
import type { FilterFullError } from '../../src/index.ts';
import { expectRefused, setBit } from '../format/refusal.ts';
import { bodyOf, forge } from '../format/saved.ts';
import { range } from '../shared/integers.ts';
import { digestOf } from '../shared/oracle.ts';
import { randomFrom } from '../shared/random.ts';
import { refuses } from '../shared/refuses.ts';
import { text } from '../shared/stream-tools.ts';

type Filter = DLeftCountingBloomFilter;

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

/**
 * What a slow implementation gave for random steps with the integers below `keys` on two filters, one after the other:
 * the digest of all answers, of each filter, and of their union, which is null if the second does not fit.
 */
interface Played extends Record<'keys' | 'steps' | 'used', number> {
  readonly options: DLeftCountingBloomFilterOptions;
  readonly answers: string;
  readonly counts: readonly number[];
  readonly digests: readonly string[];
  readonly union: string | null;
}

const played = JSON.parse(readFileSync('test/vectors/dleft-steps.json', 'utf8')) as readonly Played[];

describe('DLeftCountingBloomFilter', () => {
  it.each(vectors)('agrees with an independent implementation: $options', (vector) => {
    const { options, size, keys: below, times, removed, refused: refusals } = vector;
    const { count, countOf0, positives, digest } = vector;
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

  it.each(played)('answers as a slow implementation does, whatever is called: $options', (row) => {
    const { options, keys, steps, answers, counts, used, digests, union } = row;
    const random = randomFrom(keys);
    const all = [0, 1].map(() => new DLeftCountingBloomFilter(options)) as [Filter, Filter];
    const given = all.flatMap((filter) =>
      range(0, steps).map(() => {
        const [verb, key] = [random(5), random(keys)];
        expect(filter.has(key)).toBe(filter.countOf(key) > 0);
        if (verb === 0) return Number(filter.remove(key));
        if (verb === 1) return filter.countOf(key);
        const isNew = !filter.has(key);
        return refuses(filter, key) ? 'x' : Number(isNew);
      }),
    );
    expect(digestOf(text(given.join('')))).toBe(answers);
    expect(all.map(({ count }) => count)).toEqual(counts);
    expect(all.map((filter) => digestOf(bodyOf(filter)))).toEqual(digests);
    const [one, other] = all;
    expect(one.fillRatio()).toBe(used / one.cellCount);
    for (const merge of [() => one.union(other), () => one.merge(other)]) {
      if (union === null) expect(merge).toThrow(/^other does not fit: /);
      else expect(digestOf(bodyOf(merge()))).toBe(union);
    }
    if (union === null) expect([digestOf(bodyOf(one)), one.count]).toEqual([digests[0], counts[0]]);
    else expect(one.count).toBe((counts[0] ?? 0) + (counts[1] ?? 0));
    expect(digestOf(bodyOf(other))).toBe(digests[1]);
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
