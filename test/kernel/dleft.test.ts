import { expect, it } from 'vitest';
import type { DleftExports } from '../../src/kernel/generated/dleft/exports.ts';
import { builds } from './builds.ts';
import { Layout } from './layout.ts';

it.each(builds)('keys after one without room are flagged with 0 in a d-left filter: $name', ({ open }) => {
  const { kernel, memory } = open(2);
  const { dleft_add, dleft_add_absent } = kernel as object as DleftExports;
  const layout = new Layout(memory);
  const body = layout.take(Uint8Array, 4 * 16 + 64);
  const hashes = layout.take(Uint32Array, 4 * 100);
  const flags = layout.take(Uint8Array, 100);
  // Four buckets have 32 cells, each of which counts to 3: the 97th copy of a hash does not fit, nor does another hash.
  for (let i = 0; i < 100; i++) hashes.set(i === 98 ? [7, 7, 7, 7 << 29] : [5, 5, 5, 5], 4 * i);
  const chunk = [body.byteOffset, 1, 16, hashes.byteOffset, 100, flags.byteOffset] as const;
  flags.fill(9);
  expect(dleft_add(...chunk)).toBe(96);
  expect([...flags]).toEqual([1, ...Array<number>(99).fill(0)]);
  flags.fill(9);
  expect(dleft_add_absent(...chunk)).toBe(98);
  expect([...flags]).toEqual(Array<number>(100).fill(0));
  expect(layout.intact).toBe(true);
});
