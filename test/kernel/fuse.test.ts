import { expect, it } from 'vitest';
import type { FuseExports } from '../../src/kernel/generated/fuse/exports.ts';
import { builds } from './builds.ts';
import { Layout } from './layout.ts';

it.each(builds)('a cell with more keys than a byte can count is refused: $name', ({ open }) => {
  const { kernel, memory } = open(2);
  const { fuse_count } = kernel as object as FuseExports;
  const layout = new Layout(memory);
  // One segment of eight cells, and two more behind it: 13 bytes for each cell.
  const work = layout.take(Uint8Array, 13 * 24);
  const mixed = layout.take(Uint32Array, 2 * 256);
  // Equal hashes, which share their cells.
  mixed.fill(7);
  const count = (keys: number): number => fuse_count(work.byteOffset, 3, 1, 0, mixed.byteOffset, keys);
  expect(count(255)).toBe(1);
  expect(count(1)).toBe(0);
  work.fill(0);
  expect(count(256)).toBe(0);
  expect(layout.intact).toBe(true);
});
