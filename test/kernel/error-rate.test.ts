import { describe, expect, it } from 'vitest';
import type { RotatingExports } from '../../src/kernel/generated/rotating/exports.ts';
import type { WideExports } from '../../src/kernel/generated/wide/exports.ts';
import type { KernelExports } from '../../src/kernel/instance.ts';
import { builds } from './builds.ts';
import { Layout } from './layout.ts';

type Kernel = KernelExports & RotatingExports & WideExports;

const BLOCKS = 3;

/** The kinds with split blocks: the words of a block, the distance of two, where the first one begins, and the rate. */
const kinds = [
  ['blocked', 8, 8, 0, (kernel: Kernel, at: number) => kernel.blocked_error_rate(at, BLOCKS)],
  ['wide', 16, 16, 0, (kernel: Kernel, at: number) => kernel.wide_error_rate(at, BLOCKS)],
  ['rotating, lane 1 of 3', 8, 24, 8, (kernel: Kernel, at: number) => kernel.rotating_error_rate(at, BLOCKS, 3, 1)],
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
