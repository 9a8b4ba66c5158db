import { describe, expect, it } from 'vitest';
import { BloomFilter } from '../../src/index.ts';

describe('arrays of integers as keys', () => {
  const filter = BloomFilter.from(['b', 2, 3, -1, 2n ** 64n - 2n], { errorRate: 1e-5 });

  it.each([
    [Uint32Array.of(1, 2, 3, 4), Uint32Array.of(2, 3)],
    [Int32Array.of(1, 2, -1, 4), Int32Array.of(2, -1)],
    [BigInt64Array.of(1n, 2n, -1n, -2n, 4n), BigInt64Array.of(2n, -1n, -2n)],
    [BigUint64Array.of(1n, 2n, 2n ** 64n - 1n), BigUint64Array.of(2n, 2n ** 64n - 1n)],
  ])('give an array of their type: %o', (given, wanted) => {
    const picked = filter.pick(given as Uint32Array);
    expect(picked).toEqual(wanted);
    expect(picked.constructor).toBe(given.constructor);
    expect(filter.omit(wanted as Uint32Array).length).toBe(0);
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
    expect([...new BloomFilter({ capacity: 100 }).dedupe(new Evil([7, 8, 7]))]).toEqual([7, 8]);
  });
});
