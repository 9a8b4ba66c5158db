import { describe, expect, it } from 'vitest';
import { combinableKinds } from '../shared/kinds.ts';

describe.each(combinableKinds)('arrays of integers as keys: $name', ({ Filter }) => {
  const filter = Filter.from(['b', '', 2, 3, -1, 'ö'], { errorRate: 1e-5 });

  it.each([
    ['Uint32Array', Uint32Array, [1, 2, 3, 4], [2, 3]],
    ['Int32Array', Int32Array, [1, 2, -1, 4], [2, -1]],
  ])('give a %s for one', (_, Array32, given, picked) => {
    const result = filter.pick(new Array32(given));
    expect(result).toEqual(new Array32(picked));
    expect(result.constructor).toBe(Array32);
    expect(filter.omit(new Array32(picked))).toEqual(new Array32());
  });

  it.each([
    ['BigInt64Array', BigInt64Array, [1n, 2n, -1n, 4n], [2n, -1n]],
    ['BigUint64Array', BigUint64Array, [1n, 2n, 2n ** 64n - 1n], [2n, 2n ** 64n - 1n]],
  ])('give a %s for one', (_, Array64, given, picked) => {
    expect(filter.pick(new Array64(given))).toEqual(new Array64(picked));
  });

  it('run no user code, whatever their class overrides', () => {
    class Evil extends Uint32Array {
      override get length(): number {
        return 1000;
      }
      override get buffer(): ArrayBuffer {
        return new ArrayBuffer(4000);
      }
      override get byteOffset(): number {
        return 4;
      }
    }
    const filter = new Filter({ capacity: 100, errorRate: 1e-5 });
    expect([...filter.dedupe(new Evil([7, 8, 7]))]).toEqual([7, 8]);
    expect(filter.equals(new Filter({ capacity: 100, errorRate: 1e-5 }).addMany([7, 8, 7]))).toBe(true);
  });
});
