import { expect, it } from 'vitest';
import type { CuckooExports } from '../../src/kernel/generated/cuckoo/exports.ts';
import { builds } from './builds.ts';
import { Layout } from './layout.ts';

it.each(builds)('a key for which there is no room is flagged with 0, as are those after it: $name', ({ open }) => {
  const { kernel, memory } = open(2);
  const { cuckoo_add, cuckoo_add_absent } = kernel as object as CuckooExports;
  const layout = new Layout(memory);
  const [body, hashes, flags] = [
    layout.take(Uint8Array, 64),
    layout.take(Uint32Array, 48),
    layout.take(Uint8Array, 12),
  ];
  // Two buckets have eight slots: the ninth copy of a hash does not fit, nor does another hash.
  for (let i = 0; i < 12; i++) hashes.set(i === 9 ? [7, 7, 7, 7 << 29] : [5, 5, 5, 5], 4 * i);
  const chunk = [body.byteOffset, 2, 7, hashes.byteOffset, 12, flags.byteOffset] as const;
  flags.fill(9);
  expect(cuckoo_add(...chunk)).toBe(8);
  expect([...flags]).toEqual([1, ...Array<number>(11).fill(0)]);
  flags.fill(9);
  expect(cuckoo_add_absent(...chunk)).toBe(9);
  expect([...flags]).toEqual(Array<number>(12).fill(0));
  expect(layout.intact).toBe(true);
});
