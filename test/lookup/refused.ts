// Damaged files, which a lookup takes and refuses as the class of the filter does.

import { expect } from 'vitest';
import { SavedFilterError } from '../../src/index.ts';
import { keysOf } from '../format/saved.ts';
import { damagedFile } from '../fuzz/readers/files.ts';
import { randomFrom } from '../shared/random.ts';

/** What a call gives, or the error for a file that is refused. */
function outcomeOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof SavedFilterError)) throw error;
    return String(error);
  }
}

/** Expects that two ways to read give the same of many damaged files, of which more than `least` are read or refused. */
export function expectSame(
  seed: number,
  fileOf: (keys: string[], i: number) => Uint8Array,
  [theirs, ours]: readonly [(file: Uint8Array) => unknown, (file: Uint8Array) => unknown],
  least: number,
): void {
  const random = randomFrom(seed);
  const files = [0, 1, 3, 40].map((count, i) => fileOf(keysOf(count), i));
  const counts = { read: 0, refused: 0 };
  for (let i = 0; i < 4000; i++) {
    const file = damagedFile(random, files);
    const found = outcomeOf(() => ours(file));
    expect(found).toBe(outcomeOf(() => theirs(file)));
    counts[String(found).startsWith('SavedFilterError') ? 'refused' : 'read']++;
  }
  expect(Math.min(counts.read, counts.refused)).toBeGreaterThan(least);
}
