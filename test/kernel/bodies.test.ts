// What the kernel does with whole bodies: counts, compares and combines their bits, and estimates error rates by those of
// split blocks. And where a rotating filter stops: when the room of a generation is used up.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RotatingExports } from '../../src/kernel/generated/rotating/exports.ts';
import type { SpatialExports } from '../../src/kernel/generated/spatial/exports.ts';
import type { StableExports } from '../../src/kernel/generated/stable/exports.ts';
import type { WideExports } from '../../src/kernel/generated/wide/exports.ts';
import type { KernelExports } from '../../src/kernel/instance.ts';
import { BASE, builds, Layout, laidOut, release } from './builds.ts';

type Kernel = KernelExports & RotatingExports & SpatialExports & StableExports & WideExports;

/** Two bodies of the same length. */
const pairs = fc.constantFrom(0, 8, 16, 24, 64, 72, 1000, 4096).chain((length) => {
  const bytes = fc.uint8Array({ minLength: length, maxLength: length });
  return fc.tuple(bytes, bytes);
});

const ones = (bytes: Uint8Array): number =>
  bytes.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);

describe.each(builds)('bits in $name', ({ open, maxPages }) => {
  const { kernel, memory } = open(2);

  /** Puts both byte arrays into memory, with guards around each. */
  function put(one: Uint8Array, other: Uint8Array): { a: Uint8Array; b: Uint8Array; layout: Layout } {
    const layout = new Layout(memory);
    const [a, b] = [layout.take(Uint8Array, one.length), layout.take(Uint8Array, other.length)];
    a.set(one);
    b.set(other);
    return { a, b, layout };
  }

  it('are counted, compared, combined and filled', () => {
    const property = fc.property(pairs, ([one, other]) => {
      const { a, b, layout } = put(one, other);
      const [target, source, length] = [a.byteOffset, b.byteOffset, a.length];
      expect(kernel.bits_count(target, length)).toBe(ones(one));
      expect(kernel.bits_equal(target, source, length)).toBe(Number(Buffer.compare(one, other) === 0));
      kernel.bits_or(target, source, length);
      expect(a).toEqual(one.map((byte, i) => byte | (other[i] ?? 0)));
      a.set(one);
      kernel.bits_and(target, source, length);
      expect(a).toEqual(one.map((byte, i) => byte & (other[i] ?? 0)));
      expect(Buffer.compare(b, other)).toBe(0);
      a.set(b);
      expect(kernel.bits_equal(target, source, length)).toBe(1);
      kernel.bits_fill(target, 0x5a, length);
      expect(a).toEqual(new Uint8Array(length).fill(0x5a));
      expect(layout.intact).toBe(true);
    });
    fc.assert(property, { numRuns: 100 });
  });

  it('differ if a single one does, wherever it is', () => {
    const { a, b } = put(new Uint8Array(40).fill(0x5a), new Uint8Array(40).fill(0x5a));
    for (let bit = 0; bit < 320; bit++) {
      const before = b[bit >> 3] ?? 0;
      b[bit >> 3] = before ^ (1 << (bit & 7));
      expect(kernel.bits_equal(a.byteOffset, b.byteOffset, 40)).toBe(0);
      b[bit >> 3] = before;
    }
    expect(kernel.bits_equal(a.byteOffset, b.byteOffset, 40)).toBe(1);
  });

  // The last bytes of the largest memory; and an address from 2^31 on is negative for a signed integer.
  const most = maxPages * 65_536 - 128;
  it.each([...new Set([most, Math.min(most, 2 ** 31 - 32)])])('may lie across the address %i', (at) => {
    const { kernel, memory } = open(Math.ceil((at + 128) / 65_536));
    const [target, source] = [at, at + 64];
    const [body, other] = [new Uint8Array(memory.buffer, target, 64), new Uint8Array(memory.buffer, source, 64)];
    for (const [name, one, two, merged] of [
      ['bits_or', 0x3c, 0x0f, 0x3f],
      ['bits_and', 0x3f, 0xf8, 0x38],
    ] as const) {
      kernel.bits_fill(target, one, 64);
      kernel.bits_fill(source, two, 64);
      kernel[name](target, source, 64);
      expect([body, other].map((bytes) => [...new Set(bytes)])).toEqual([[merged], [two]]);
      expect(kernel.bits_equal(target, source, 64)).toBe(0);
    }
    expect(kernel.bits_count(target, 64)).toBe(3 * 64);
    other.set(body);
    expect(kernel.bits_equal(target, source, 64)).toBe(1);
    body[63] = 0;
    expect(kernel.bits_equal(target, source, 64)).toBe(0);
  });
});

it('bits are counted past 2^32', () => {
  // In one build only, because half a gigabyte takes time.
  const length = 2 ** 29 + 64;
  const kernel = release.open(Math.ceil((BASE + length) / 65_536)).kernel as Kernel;
  kernel.bits_fill(BASE, 0xff, length);
  expect(kernel.bits_count(BASE, length)).toBe(8 * length);
  // Cells of one bit, and a single generation.
  expect(kernel.stable_used(BASE, length, 0)).toBe(8 * length);
  expect(kernel.spatial_used(BASE, length, 0, 1)).toBe(8 * length);
  expect(kernel.rotating_used(BASE, length / 32, 1, 0)).toBe(8 * length);
});

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
  const { kernel, layout } = laidOut<RotatingExports>(open(4));
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
    const done = kernel.rotating_add(body.byteOffset, blocks, generations, 0, room, ...chunk);
    expect([done & 0xffff, done >>> 16]).toEqual([room, room]);
    expect([...flags.subarray(0, room + 1)]).toEqual(Array(room + 1).fill(1));
    expect(layout.intact).toBe(true);
  });
});
