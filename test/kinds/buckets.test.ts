// What only the kinds with buckets have: cuckoo filters, which move fingerprints, and d-left counting filters, whose cells
// count. test/filters/bounded.test.ts has what they share.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CuckooFilter, optimalCuckooFingerprintBits } from '../../src/entries/cuckoo.ts';
import { DLeftCountingBloomFilter } from '../../src/entries/dleft.ts';
import { hashKeys } from '../../src/entries/hash.ts';
import { FilterFullError } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { expectRefused, setBit } from '../format/refusal.ts';
import { bodyOf, errorOf, forge } from '../format/saved.ts';
import { range } from '../shared/integers.ts';
import { digestOf } from '../shared/oracle.ts';
import { Cuckoo } from '../shared/oracle-cuckoo.ts';
import { randomFrom } from '../shared/random.ts';
import { refuses } from '../shared/refuses.ts';
import { text } from '../shared/stream-tools.ts';
import vectors from '../vectors/dleft.json' with { type: 'json' };
import steps from '../vectors/dleft-steps.json' with { type: 'json' };

/** A number of buckets, of bits per fingerprint, and a seed. */
const shapes = [
  [2, 7, 0],
  [10, 15, 2],
  // The seed is the length of the keys, which are integers.
  [14, 9, 8],
  [2, 32, 2 ** 32 - 1],
] as const;
type Shape = readonly [buckets: number, fingerprintBits: number, seed: number];

const made = ([buckets, fingerprintBits, seed]: Shape): CuckooFilter =>
  new CuckooFilter({ buckets, fingerprintBits, seed });

describe('CuckooFilter', () => {
  it.each<Shape>(shapes)('agrees with its oracle at every step: %i buckets, %i bits', (...shape) => {
    const verb = fc.constantFrom('add', 'add', 'add', 'remove', 'countOf', 'has');
    const most = 4 * shape[0];
    const property = fc.property(fc.array(fc.tuple(verb, fc.nat(1.25 * most)), { maxLength: 3 * most }), (steps) => {
      const [filter, oracle] = [made(shape), new Cuckoo(...shape)];
      for (const [step, key] of steps) {
        const copies = oracle.countOf(key);
        if (step === 'has') expect(filter.has(key)).toBe(copies > 0);
        else if (step === 'countOf') expect(filter.countOf(key)).toBe(copies);
        else if (step === 'remove') expect(filter.remove(key)).toBe(oracle.remove(key));
        else if (oracle.store(key)) expect(filter.add(key)).toBe(copies === 0);
        else expect(() => filter.add(key)).toThrow(FilterFullError);
      }
      expect(bodyOf(filter)).toEqual(oracle.bytes());
      expect([filter.count, filter.fillRatio()]).toEqual([oracle.count, oracle.count / filter.cellCount]);
      const gone = steps.map(([, key]) => key);
      const out = new Uint8Array(gone.length);
      filter.removeMany(gone, out);
      expect([...out]).toEqual(gone.map((key) => Number(oracle.remove(key))));
      expect(bodyOf(filter)).toEqual(oracle.bytes());
    });
    fc.assert(property, { numRuns: 30 });
  });

  // At these sizes a search visits up to 1024 buckets. With the first two seeds, the last one has the only free slot; with
  // the next one, a bucket is found again on the way from the other bucket of a key.
  it.each<Shape>([
    [400, 7, 108],
    [1002, 8, 129],
    [100, 9, 9],
    [1002, 32, 0],
  ])('agrees with its oracle when it is full: %i buckets, %i bits', (...shape) => {
    const [filter, oracle] = [made(shape), new Cuckoo(...shape)];
    const keys = range(0, 4 * shape[0]);
    const refused = keys.filter((key) => !oracle.store(key));
    expect(refused).not.toEqual([]);
    expect(keys.filter((key) => refuses(filter, key))).toEqual(refused);
    expect(bodyOf(filter)).toEqual(oracle.bytes());
    const gone = keys.slice(0, shape[0]);
    expect(gone.map((key) => filter.remove(key))).toEqual(gone.map((key) => oracle.remove(key)));
    expect(bodyOf(filter)).toEqual(oracle.bytes());
    expect(filter.count).toBe(oracle.count);
  });

  it.each<Shape>(shapes)('holds the keys of both after a union, or refuses: %i buckets, %i bits', (...shape) => {
    const most = 4 * shape[0];
    const someKeys = fc.array(fc.nat(1.5 * most), { maxLength: 1.25 * most });
    const property = fc.property(someKeys, someKeys, (one, two) => {
      const [filter, other] = [made(shape), made(shape)];
      const [oracle, others] = [new Cuckoo(...shape), new Cuckoo(...shape)];
      filter.addMany(one.filter((key) => oracle.store(key)));
      const held = two.filter((key) => others.store(key));
      other.addMany(held);
      const [before, otherBefore] = [filter.toBytes(), other.toBytes()];
      if (oracle.merge(others)) {
        const both = filter.union(other);
        expect(bodyOf(both)).toEqual(oracle.bytes());
        expect(filter.toBytes()).toEqual(before);
        expect(filter.merge(other)).toBe(filter);
        expect(filter.toBytes()).toEqual(both.toBytes());
        for (const each of [both, filter, filter.clone()]) expect(each.count).toBe(oracle.count);
        for (const key of held) expect(filter.remove(key)).toBe(true);
      } else {
        expect(() => filter.union(other)).toThrow(/^other does not fit: /);
        expect(() => filter.merge(other)).toThrow(FilterFullError);
        expect(filter.toBytes()).toEqual(before);
        expect(filter.count).toBe(filter.clone().count);
      }
      expect(other.toBytes()).toEqual(otherBefore);
    });
    fc.assert(property, { numRuns: 15 });
  });

  it('is made of each key of a list once, in the order in which they come', () => {
    const name = fc.nat(40).map((i) => `key ${i}`);
    const key = fc.oneof(fc.nat(40), name);
    const list = fc.array(key, { maxLength: 300, size: 'max' });
    const property = fc.property(list, fc.nat(2 ** 32 - 1), fc.boolean(), (keys, seed, isGenerated) => {
      const distinct = [...new Set(keys)];
      const filter = CuckooFilter.from(isGenerated ? keys.values() : keys, { seed });
      const capacity = Math.max(1, distinct.length);
      expect(filter).toMatchObject({ count: distinct.length, capacity, seed });
      expect(filter.toBytes()).toEqual(new CuckooFilter({ capacity, seed }).addMany(distinct).toBytes());
      expect(filter.removeMany(distinct).count).toBe(0);
    });
    fc.assert(property, { numRuns: 30, seed: 36 });
  });

  it('is made of lists that a filter has no room for with all copies', () => {
    const keys = range(0, 20_000).flatMap((i) => [i % 1000, 7]);
    expect(() => new CuckooFilter({ capacity: 1000 }).addMany(keys)).toThrow(/stored 8 times already/);
    expect(CuckooFilter.from([])).toMatchObject({ count: 0, capacity: 1 });
    const filter = CuckooFilter.from(keys);
    expect([filter.count, filter.capacity, filter.countOf(7)]).toEqual([1000, 1000, 1]);
    expect(CuckooFilter.from(hashKeys(keys)).toBytes()).toEqual(filter.toBytes());
    for (const size of [{ buckets: 1000, fingerprintBits: 9 }, { capacity: 5000 }]) {
      expect(CuckooFilter.from(keys, size)).toMatchObject({ ...size, count: 1000 });
    }
  });

  it('refuses wrong options before it reads a key, and says which distinct key has no room', () => {
    let read = 0;
    const keys = function* (): Generator<number> {
      for (const i of range(0, 100)) {
        read++;
        yield i >> 1;
      }
    };
    const unknown = 'unknown option capacty; the options are capacity, errorRate, buckets, fingerprintBits, seed';
    expect(() => CuckooFilter.from(keys(), { capacty: 9 } as object)).toThrow(unknown);
    expect(() => CuckooFilter.from(keys(), { seed: -1 })).toThrow(/^seed must be /);
    expect(() => CuckooFilter.from(keys(), { errorRate: 1e-12 })).toThrow(/^errorRate must be /);
    expect(read).toBe(0);
    expect(errorOf(() => CuckooFilter.from(keys(), { capacity: 8 }))).toMatchObject({ code: 'FULL', position: 8 });
    const size = { buckets: 1200, fingerprintBits: 20 };
    const single = new CuckooFilter(size);
    const first = range(0, 6000).findIndex((each) => refuses(single, each));
    expect(first).toBeGreaterThan(CHUNK_KEYS);
    expect(errorOf(() => CuckooFilter.from(range(0, 6000), size))).toMatchObject({ position: first });
    expect(() => CuckooFilter.from([1, 1, 1.5])).toThrow('keys[2] must be a safe integer');
    expect(() => CuckooFilter.from(hashKeys(['a'], { seed: 1 }))).toThrow('seed of the hashed keys must be 0, got 1');
  });

  it('names an error rate that it can have, where one is too low', () => {
    for (const capacity of [1, 2, 5, 7, 1000, 12_345, 2 ** 20, 3_333_333]) {
      const wrong = (errorRate: number): Error => errorOf(() => new CuckooFilter({ capacity, errorRate }));
      const least = Number(/at least (\S+) /.exec(wrong(1e-12).message)?.[1]);
      expect(optimalCuckooFingerprintBits(capacity, least)).toBe(32);
      expect(wrong(least * 0.98).message).toMatch(/^errorRate must be at least/);
    }
  });
});

describe('DLeftCountingBloomFilter', () => {
  // The integers below `keys` are added, each `times` in turn, and `removed` removals follow, of the keys in turn. Of the
  // next 2000 integers, `positives` look present; the digest is h1 of the hash of the body.
  it.each(vectors)('agrees with an independent implementation: $options', (vector) => {
    const { options, size, keys: below, times, removed, refused: refusals } = vector;
    const { count, countOf0, positives, digest } = vector;
    const filter = new DLeftCountingBloomFilter(options);
    expect([filter.buckets, filter.remainderBits]).toEqual(size);
    const keys = range(0, below).flatMap((key) => Array<number>(times).fill(key));
    expect(keys.filter((key) => refuses(filter, key)).length).toBe(refusals);
    const gone = range(0, removed).map((i) => i % below);
    const removals = gone.map((key) => Number(filter.remove(key)));
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
    const flags = new Uint8Array(gone.length);
    batch.removeMany(gone, flags);
    expect([...flags]).toEqual(removals);
    expect([batch.count, digestOf(bodyOf(batch))]).toEqual([count, digest]);
  });

  // Random steps with the integers below `keys` on two filters, one after the other. There are digests of all answers, of
  // each filter, and of their union, which is null if the second does not fit.
  it.each(steps)('answers as a slow implementation does, whatever is called: $options', (row) => {
    const { options, keys, answers, counts, used, digests, union } = row;
    const random = randomFrom(keys);
    const [one, other] = [new DLeftCountingBloomFilter(options), new DLeftCountingBloomFilter(options)];
    const all = [one, other];
    const given = all.flatMap((filter) =>
      range(0, row.steps).map(() => {
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
    expect(one.fillRatio()).toBe(used / one.cellCount);
    for (const merge of [() => one.union(other), () => one.merge(other)]) {
      if (union === null) expect(merge).toThrow(/^other does not fit: /);
      else expect(digestOf(bodyOf(merge()))).toBe(union);
    }
    if (union === null) expect([digestOf(bodyOf(one)), one.count]).toEqual([digests[0], counts[0]]);
    else expect(one.count).toBe((counts[0] ?? 0) + (counts[1] ?? 0));
    expect(digestOf(bodyOf(other))).toBe(digests[1]);
  });

  it('has an error rate of at most 1, though copies of a key take more cells', () => {
    const filter = new DLeftCountingBloomFilter({ buckets: 1, remainderBits: 4 }).addMany(Array<number>(60).fill(7));
    expect([filter.fillRatio(), filter.estimateErrorRate()]).toEqual([20 / 32, 1]);
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
