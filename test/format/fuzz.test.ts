import { expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';

it('a million damaged files are refused, or read as the filters they describe', () => {
  const { read, refused } = fuzz(1e6, 1);
  expect(read + refused).toBe(1e6);
  // The fuzzer is useful only if some files get past the checks.
  expect(read).toBeGreaterThan(50_000);
  expect(refused).toBeGreaterThan(500_000);
}, 300_000);
