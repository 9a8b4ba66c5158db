// This takes 600 MB.

import { expect, it } from 'vitest';
import { diff, patch } from '../../src/entries/delta.ts';
import { KIND } from '../../src/filters/kind.ts';
import { writeHead } from '../../src/format/header.ts';
import { BloomFilter } from '../../src/index.ts';

it('a delta has every place beyond 2^31 bits too', () => {
  const parameters = { cellCount: 2 ** 31 + 64, hashes: 1, seed: 0, capacity: 0, errorRate: 0 };
  const head = writeHead(BloomFilter[KIND], { parameters, cellBits: 1, own: undefined });
  const large = new Uint8Array(head.length + parameters.cellCount / 8);
  large.set(head);
  const changed = large.slice();
  changed[changed.length - 2] = 4;
  expect(patch(large, diff(large, changed)).at(-2)).toBe(4);
});
