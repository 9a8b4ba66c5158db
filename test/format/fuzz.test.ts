import { expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';

it('300,000 damaged files are refused, or read as the filters they describe', () => {
  const { read, refused } = fuzz(3e5, 1);
  expect(read + refused).toBe(3e5);
  // The fuzzer is useful only if some files get past the checks.
  expect(read).toBeGreaterThan(15_000);
  expect(refused).toBeGreaterThan(150_000);
});
