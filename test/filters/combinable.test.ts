// Kinds whose filters can be combined cell by cell.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combinableKinds, kindOn, shapeOf } from '../shared/kinds.ts';

const words = fc.array(fc.string({ maxLength: 3 }), { maxLength: 30 });

describe.each(combinableKinds)(
  'every kind that can be combined: $name',
  ({ Filter, className, kind, engine, cellName, sized, seedOf }) => {
    /** The same kind, whose filters may have any seed. */
    const seeded = kindOn(kind, engine.name);

    // Small enough for false positives in many runs.
    const shape = { cells: 512, hashes: 3, seed: 5 };

    it('uses its seed', () => {
      const one = sized({ cells: 1000, hashes: 3, seed: 1 }).addMany(['a', 'b']);
      const two = seeded.sized({ cells: 1000, hashes: 3, seed: 2 }).addMany(['a', 'b']);
      expect(one.equals(two)).toBe(false);
    });

    it('gives a union that equals the filter of all keys', () => {
      fc.assert(
        fc.property(words, words, (left, right) => {
          const a = sized(shape).addMany(left);
          const b = sized(shape).addMany(right);
          const all = sized(shape).addMany([...left, ...right]);
          expect(a.union(b).equals(all)).toBe(true);
          expect(b.union(a).equals(all)).toBe(true);
          expect(a.clone().merge(b).equals(all)).toBe(true);
          // Neither operand has changed.
          expect(a.equals(sized(shape).addMany(left))).toBe(true);
          expect(b.equals(sized(shape).addMany(right))).toBe(true);
        }),
      );
    });

    it('gives an intersection that holds every key that is in both', () => {
      fc.assert(
        fc.property(words, words, words, (left, right, both) => {
          const a = sized(shape).addMany([...left, ...both]);
          const b = sized(shape).addMany([...right, ...both]);
          const common = a.intersection(b);
          expect(common.hasMany(both).every((flag) => flag === 1)).toBe(true);
          expect(common.fillRatio()).toBeLessThanOrEqual(Math.min(a.fillRatio(), b.fillRatio()));
          expect(
            common.hasMany([...left, ...right]).every((flag, i) => {
              const key = [...left, ...right][i] ?? '';
              return flag === 0 || (a.has(key) && b.has(key));
            }),
          ).toBe(true);
          expect(a.intersection(a).equals(a)).toBe(true);
        }),
      );
    });

    it.each([
      ['small filters, which share a memory', 40_000],
      ['large filters, each in its own memory', 2 ** 24 + 123],
    ])('combines %s', (_, cells) => {
      const size = { cells, hashes: 4 };
      const left = Array.from({ length: 3000 }, (_, i) => `left ${i}`);
      const right = Array.from({ length: 3000 }, (_, i) => `right ${i}`);
      const a = sized(size).addMany(left);
      const b = sized(size).addMany(right);
      const all = sized(size).addMany(left).addMany(right);
      expect(a.union(b).equals(all)).toBe(true);
      expect(a.union(b).intersection(a).equals(a)).toBe(true);
      expect(a.equals(b)).toBe(false);
      expect(a.equals(a.clone())).toBe(true);
      expect(a.merge(b)).toBe(a);
      expect(a.equals(all)).toBe(true);
    });

    it('keeps its capacity and error rate if combined, and ignores them in equals', () => {
      const promised = Filter.from(['a'], { capacity: 1000, errorRate: 0.02, seed: seedOf(5) });
      // Has the same cells, but another capacity.
      const { capacity, errorRate } = sized(shapeOf(promised));
      const given = sized(shapeOf(promised)).addMany(['a']);
      expect(capacity).not.toBe(1000);
      expect(promised.equals(given)).toBe(true);
      expect(promised.union(given)).toMatchObject({ capacity: 1000, errorRate: 0.02 });
      expect(promised.intersection(given)).toMatchObject({ capacity: 1000, errorRate: 0.02 });
      expect(promised.clone()).toMatchObject({ capacity: 1000, errorRate: 0.02 });
      expect(given.union(promised)).toMatchObject({ capacity, errorRate });
    });

    it('names the sizes of filters that cannot be combined, and what they were made for', () => {
      const made = new Filter({ capacity: 10_000, errorRate: 0.01 });
      const wanted = `${made.cellCount} ${cellName} for capacity 10000 at 0.01`;
      for (const options of [{ capacity: 20_000 }, { capacity: 10_000, errorRate: 0.001 }]) {
        const other = new Filter(options);
        const bySize = sized(shapeOf(other));
        const size = `${other.cellCount} ${cellName}`;
        const promise = `${size} for capacity ${other.capacity} at ${other.errorRate}`;
        for (const verb of ['union', 'intersection', 'merge'] as const) {
          expect(() => made[verb](other)).toThrow(new RangeError(`other must have ${wanted}, got ${promise}`));
          expect(() => made[verb](bySize)).toThrow(new RangeError(`other must have ${wanted}, got ${size}`));
          expect(() => bySize[verb](made)).toThrow(new RangeError(`other must have ${size}, got ${wanted}`));
        }
      }
      const other = new seeded.Filter({ capacity: 10_000, errorRate: 0.01, seed: 7 });
      expect(() => made.union(other)).toThrow(/^seed of other must be (0|a secret \([0-9a-f]{8}\)), got 7$/);
    });

    it('says which class it got instead of its own', () => {
      const filter = new Filter({ capacity: 10 });
      for (const { className: other, kind: otherKind, Filter: Other } of combinableKinds) {
        if (otherKind === kind) continue;
        for (const verb of ['union', 'intersection', 'merge', 'equals'] as const) {
          expect(() => filter[verb](new Other({ capacity: 10 }))).toThrow(
            new TypeError(`other must be a ${className}, got a ${other}`),
          );
        }
      }
    });
  },
);
