import { expect, it } from 'vitest';
import { readers } from './readers.ts';
import { fuzz } from './run.ts';

it('a million damaged inputs are refused, or read as what they say', async () => {
  const tallies = await fuzz(readers, { count: 1e6, seed: 2 });
  const sum = (name: 'read' | 'refused'): number => tallies.reduce((all, tally) => all + tally[name], 0);
  expect((sum('read') + sum('refused')) / 1e6).toBeCloseTo(1, 3);
  expect(sum('read')).toBeGreaterThan(100_000);
  expect(sum('refused')).toBeGreaterThan(500_000);
}, 300_000);
