import { expect, it } from 'vitest';
import type { FuseExports } from '../../src/kernel/generated/fuse/exports.ts';
import { probeFuse } from '../../src/kinds/fuse/probe.ts';
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

it.each(builds)('cells that begin past 2^32 bits are found: $name', ({ open }) => {
  const [exponent, segments, attempt] = [18, 600, 1];
  for (const bits of [29, 32]) {
    const bytes = ((segments + 2) * 2 ** exponent * bits) / 8 + 64;
    const { kernel, memory } = open(Math.ceil(bytes / 65_536) + 2);
    const { fuse_has } = kernel as object as FuseExports;
    const layout = new Layout(memory);
    const hashes = layout.take(BigUint64Array, 2);
    const flags = layout.take(Uint8Array, 1);
    const body = layout.take(Uint8Array, bytes);
    const view = new DataView(body.buffer, body.byteOffset, bytes);
    const own = { exponent, segments, attempt, count: 1 };
    const cells = new Float64Array(3);
    const { place } = probeFuse({ own, cellBits: bits } as Parameters<typeof probeFuse>[0]);
    let fingerprint = 0;
    do {
      hashes[0] = (hashes[0] ?? 0n) + 1n;
      fingerprint = place([hashes[0], 0n], cells);
    } while (Math.min(...cells) < 2 ** 32);
    const has = (): number =>
      fuse_has(body.byteOffset, exponent, segments, attempt, bits, hashes.byteOffset, 1, flags.byteOffset);
    expect(has()).toBe(0);
    // The other two cells are 0.
    for (const cell of cells) {
      const at = Math.floor(cell / 8);
      view.setBigUint64(at, BigInt(fingerprint) << BigInt(cell % 8), true);
      expect(has()).toBe(1);
      view.setBigUint64(at, 0n);
    }
  }
});
