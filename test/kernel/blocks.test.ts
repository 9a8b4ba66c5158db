// What kinds with split blocks compute in the kernel beside the bits of keys.

import { describe, expect, it } from 'vitest';
import type { RotatingExports } from '../../src/kernel/generated/rotating/exports.ts';
import type { WideExports } from '../../src/kernel/generated/wide/exports.ts';
import type { KernelExports } from '../../src/kernel/instance.ts';
import { builds, Layout } from './builds.ts';

type Kernel = KernelExports & RotatingExports & WideExports;

const BLOCKS = 3;

/** The kinds with split blocks: the words of a block, the distance of two, where the first one begins, and the rate. */
const kinds = [
  ['blocked', 8, 8, 0, (kernel: Kernel, at: number) => kernel.blocked_error_rate(at, BLOCKS)],
  ['wide', 16, 16, 0, (kernel: Kernel, at: number) => kernel.wide_error_rate(at, BLOCKS)],
  ['rotating, middle of 3', 8, 24, 8, (kernel: Kernel, at: number) => kernel.rotating_error_rate(at, BLOCKS, 3, 1)],
] as const;

describe.each(builds)('error rates in $name', ({ open }) => {
  it.each(kinds)('every word of every block counts: %s', (_, words, stride, first, rate) => {
    const { kernel, memory } = open(2);
    const body = new Layout(memory).take(Uint32Array, BLOCKS * stride);
    const now = (): number => rate(kernel as Kernel, body.byteOffset);
    for (let block = 0; block < BLOCKS; block++) {
      body.fill(0);
      const cells = body.subarray(block * stride + first, block * stride + first + words).fill(0xffffffff);
      expect(now()).toBe(1 / BLOCKS);
      for (let word = 0; word < words; word++) {
        cells[word] = 0xffff;
        expect(now()).toBe(1 / 2 / BLOCKS);
        cells[word] = 0xffffffff;
      }
      body.fill(0xffffffff);
      cells.fill(0);
      expect(now()).toBe((BLOCKS - 1) / BLOCKS);
    }
  });
});

describe.each(builds)('a rotating filter in $name', ({ open }) => {
  const [count, blocks, generations] = [600, 1000, 2];
  const { kernel, memory } = open(4);
  const { rotating_add } = kernel as object as RotatingExports;
  const layout = new Layout(memory);
  const hashes = layout.take(Uint32Array, 4 * count);
  const flags = layout.take(Uint8Array, count);
  const body = layout.take(Uint8Array, 32 * blocks * generations);

  it.each([0, 5, 255, 256, 300])('stops before the key after %i that need room, whatever keys follow', (room) => {
    body.fill(0);
    flags.fill(9);
    // The high halves of h1 that choose one block after the other.
    const step = Math.ceil(2 ** 32 / blocks);
    // So many different keys, one without room, and then the first one over and over.
    for (let i = 0; i < count; i++) hashes.set([1, i <= room ? i * step : 0], 4 * i);
    const chunk = [hashes.byteOffset, count, flags.byteOffset] as const;
    const done = rotating_add(body.byteOffset, blocks, generations, 0, room, ...chunk);
    expect([done & 0xffff, done >>> 16]).toEqual([room, room]);
    expect([...flags.subarray(0, room + 1)]).toEqual(Array(room + 1).fill(1));
    expect(layout.intact).toBe(true);
  });
});
