// Kinds whose filters can be combined cell by cell.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { range } from '../shared/integers.ts';
import { combinableKinds, shapeOf } from '../shared/kinds.ts';

const words = fc.array(fc.string({ maxLength: 3 }), { maxLength: 30 });
const verbs = ['union', 'intersection', 'merge'] as const;

describe.each(combinableKinds)(
  'every kind that can be combined: $kind',
  ({ Filter, className, kind, cellName, sized }) => {
    // Small enough for false positives in many runs.
    const shape = { cells: 512, hashes: 3, seed: 5 };

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
          expect(common.omit(both)).toEqual([]);
          expect(common.fillRatio()).toBeLessThanOrEqual(Math.min(a.fillRatio(), b.fillRatio()));
          expect(common.pick([...left, ...right]).filter((key) => !a.has(key) || !b.has(key))).toEqual([]);
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
      expect([a.equals(b), a.equals(a.clone())]).toEqual([false, true]);
      expect(a.merge(b)).toBe(a);
      expect(a.equals(all)).toBe(true);
    });

    it('estimates how many keys it holds, and its error rate', () => {
      const filter = new Filter({ capacity: 10_000 });
      expect([filter.estimateCount(), filter.estimateErrorRate()]).toEqual([0, 0]);
      filter.addMany(range(0, 10_000));
      // The standard deviation of the estimate is about 0.3 %, in blocks 0.6 %.
      expect(Math.abs(filter.estimateCount() - 10_000)).toBeLessThan(350);
      expect(Math.abs(filter.estimateErrorRate() - 0.01)).toBeLessThan(0.0015);
      const full = sized({ cells: 9, hashes: 3 }).addMany(range(0, 2000));
      expect([full.fillRatio(), full.estimateCount(), full.estimateErrorRate()]).toEqual([1, Infinity, 1]);
    });

    it('keeps its capacity and error rate if combined, and ignores them in equals', () => {
      const promised = Filter.from(['a'], { capacity: 1000, errorRate: 0.02, seed: 5 });
      // Has the same cells, but another capacity.
      const given = sized(shapeOf(promised)).addMany(['a']);
      const { capacity, errorRate } = given;
      expect(capacity).not.toBe(1000);
      expect(promised.equals(given)).toBe(true);
      for (const each of [promised.union(given), promised.intersection(given), promised.clone()]) {
        expect(each).toMatchObject({ capacity: 1000, errorRate: 0.02 });
      }
      expect(given.union(promised)).toMatchObject({ capacity, errorRate });
    });

    it('names the difference between filters that cannot be combined, and changes nothing', () => {
      const made = new Filter({ capacity: 10_000, errorRate: 0.01 }).addMany(['a']);
      const before = made.clone();
      const wanted = `${made.cellCount} ${cellName} for capacity 10000 at 0.01`;
      for (const options of [{ capacity: 20_000 }, { capacity: 10_000, errorRate: 0.001 }]) {
        const other = new Filter(options);
        const bySize = sized(shapeOf(other));
        const size = `${other.cellCount} ${cellName}`;
        const promise = `${size} for capacity ${other.capacity} at ${other.errorRate}`;
        for (const verb of verbs) {
          expect(() => made[verb](other)).toThrow(new RangeError(`other must have ${wanted}, got ${promise}`));
          expect(() => made[verb](bySize)).toThrow(new RangeError(`other must have ${wanted}, got ${size}`));
          expect(() => bySize[verb](made)).toThrow(new RangeError(`other must have ${size}, got ${wanted}`));
        }
      }
      const seeded = new Filter({ capacity: 10_000, errorRate: 0.01, seed: 7 });
      const [few, more] = [3, 4].map((hashes) => sized({ cells: 512, hashes }));
      for (const verb of verbs) {
        expect(() => made[verb](seeded)).toThrow(new RangeError('seed of other must be 0, got 7'));
        if (few?.hashes === 3) {
          expect(() => few[verb](more as typeof few)).toThrow(new RangeError('hashes of other must be 3, got 4'));
        }
        for (const { className: name, kind: otherKind, Filter: Other } of combinableKinds) {
          if (otherKind === kind) continue;
          const message = `other must be a ${className}, got a ${name}`;
          expect(() => made[verb](new Other({ capacity: 10 }))).toThrow(new TypeError(message));
          expect(() => made.equals(new Other({ capacity: 10 }))).toThrow(new TypeError(message));
        }
      }
      expect([made.equals(seeded), made.equals(before)]).toEqual([false, true]);
    });

    it('throws on every use once one of two is disposed of, small or large', () => {
      for (const cells of [256, 2 ** 24]) {
        const [gone, other] = [sized({ cells, hashes: 3 }).addMany(['a']), sized({ cells, hashes: 3 })] as const;
        gone.dispose();
        gone.dispose();
        gone[Symbol.dispose]();
        const uses: (() => unknown)[] = [
          ...[() => gone.add('a'), () => gone.addMany([]), () => gone.hasMany([]), () => gone.dedupe([])],
          ...verbs.flatMap((verb) => [() => gone[verb](other), () => other[verb](gone)]),
          ...[() => other.equals(gone), () => gone.clear(), () => gone.fillRatio()],
          ...[() => gone.estimateCount(), () => gone.estimateErrorRate()],
        ];
        for (const use of uses) expect(use, String(use)).toThrow(/after dispose\(\)/);
        expect([other.fillRatio(), gone.cellCount]).toEqual([0, other.cellCount]);
      }
    });
  },
);
