import { describe, expect, it } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import type { Estimate } from '../../src/index.ts';
import { type AnyFilter, combinableKinds, kindOn, type SizedKind } from '../shared/kinds.ts';

const twinOf = ({ kind }: SizedKind): SizedKind => kindOn(kind, 'js');

function keysFrom(start: number, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => start + i);
}

/** Two filters with `one` and `other` keys of their own, and `both` in common. */
function pairOf(kind: SizedKind, options: object, one: number, other: number, both: number, twin = kind) {
  const common = keysFrom(2 ** 30, both);
  const make = ({ Filter }: SizedKind, keys: Uint32Array): AnyFilter =>
    new Filter(options).addMany(keys).addMany(common);
  return [make(kind, keysFrom(0, one)), make(twin, keysFrom(2 ** 20, other))] as const;
}

describe.each(combinableKinds)('what two filters have in common: $kind', (kind) => {
  const { Filter, optionsOf, oddCells } = kind;

  it.each([
    ['a few cells', { cells: oddCells, hashes: 3 }, 4, 3, 2],
    ['several pieces, of which the last is short', { cells: 3_000_001, hashes: 5 }, 4000, 7000, 2000],
  ])('is counted as the filters count, on either engine: %s', (_, shape, one, other, both) => {
    for (const twin of [kind, twinOf(kind)]) {
      const [a, b] = pairOf(kind, optionsOf(shape), one, other, both, twin);
      const before = [a.toBytes(), b.toBytes()];
      const union = a.union(b).estimateCount();
      const sum = a.estimateCount() + b.estimateCount();
      expect(a.estimateUnion(b).count).toBeCloseTo(union, 3);
      expect(a.estimateIntersection(b).count).toBeCloseTo(Math.max(0, sum - union), 3);
      expect(b.estimateIntersection(a)).toEqual(a.estimateIntersection(b));
      expect(b.estimateUnion(a)).toEqual(a.estimateUnion(b));
      expect([a.toBytes(), b.toBytes()]).toEqual(before);
    }
  });

  it('is all of a filter that is part of the other', () => {
    const options = { capacity: 3000 };
    const [part, whole] = pairOf(kind, options, 0, 1000, 1000);
    expect(part.estimateIntersection(whole).count).toBeCloseTo(part.estimateCount(), 3);
    expect(part.estimateUnion(whole).count).toBeCloseTo(whole.estimateCount(), 3);
    expect(part.estimateIntersection(part)).toEqual(part.estimateUnion(part));
    const empty = new Filter(options);
    expect(empty.estimateIntersection(whole)).toEqual({ count: 0, standardError: 0 });
    expect(empty.estimateUnion(empty)).toEqual({ count: 0, standardError: 0 });
    expect(empty.estimateUnion(whole)).toEqual(whole.estimateUnion(whole));
  });

  it('is unknown once every cell is in use', () => {
    const [full, other] = pairOf(kind, optionsOf({ cells: oddCells, hashes: 3 }), 20_000, 2, 1);
    expect(full.fillRatio()).toBe(1);
    expect(full.estimateUnion(other)).toEqual({ count: Infinity, standardError: Infinity });
    expect(full.estimateIntersection(other)).toEqual({ count: NaN, standardError: Infinity });
    expect(full.estimateIntersection(full)).toEqual({ count: NaN, standardError: Infinity });
  });

  it('is refused for filters that cannot be combined', () => {
    const filter = new Filter({ capacity: 10 });
    const wrongs: [unknown, ErrorConstructor, RegExp][] = [
      [new Filter({ capacity: 1000 }), RangeError, /^other must have /],
      [new Filter({ capacity: 10, seed: 1 }), RangeError, /^seed of other must be 0, got 1$/],
      [new CuckooFilter({ capacity: 10 }), TypeError, /^other must be a \w+, got a CuckooFilter$/],
      [undefined, TypeError, /^other must be a /],
    ];
    for (const [wrong, Expected, message] of wrongs) {
      for (const verb of ['estimateUnion', 'estimateIntersection'] as const) {
        expect(() => filter[verb](wrong as AnyFilter)).toThrow(Expected);
        expect(() => filter[verb](wrong as AnyFilter)).toThrow(message);
      }
    }
  });
});

// A counter is in use where a bit would be set.
const sampled = combinableKinds.filter(({ kind }) => kind !== 'counting');

describe.each(sampled)('the standard errors of estimates: $kind', (kind) => {
  const RUNS = 500;

  it.each([
    ['no keys in common', 500, 500, 0],
    ['some', 300, 500, 200],
    ['twice what they are made for', 1000, 900, 100],
    ['one much smaller', 20, 1000, 5],
  ])('are those of many filters, which are right on average: %s', (_, one, other, both) => {
    const errors = { union: [] as number[], intersection: [] as number[] };
    const add = (name: keyof typeof errors, { count, standardError }: Estimate, truth: number): void => {
      errors[name].push((count - truth) / standardError);
    };
    for (let seed = 0; seed < RUNS; seed++) {
      const [a, b] = pairOf(kind, { capacity: 600, errorRate: 0.003, seed }, one, other, both);
      const union = a.estimateUnion(b);
      add('union', union, one + other + both);
      // Not clipped at 0, as `estimateIntersection` is: then the mean would be too high where nothing is in common.
      const count = a.estimateCount() + b.estimateCount() - union.count;
      const estimate = a.estimateIntersection(b);
      expect(estimate.count).toBeCloseTo(Math.max(0, count), 3);
      add('intersection', { ...estimate, count }, both);
      a.dispose();
      b.dispose();
    }
    for (const each of Object.values(errors)) {
      const mean = each.reduce((sum, z) => sum + z, 0) / RUNS;
      const square = each.reduce((sum, z) => sum + z ** 2, 0) / RUNS;
      // The mean of RUNS errors varies by 1/√RUNS, that of their squares by √(2 / RUNS): five times as much, in less
      // than one of a million cases. The logarithm's curvature adds ½ k/m standard errors to the mean, less than 0.02.
      expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(RUNS) + 0.02);
      expect(Math.abs(square - 1)).toBeLessThan(5 * Math.sqrt(2 / RUNS));
    }
  });
});
