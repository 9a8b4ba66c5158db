import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RotatingExports } from '../../src/kernel/generated/rotating/exports.ts';
import type { SpatialExports } from '../../src/kernel/generated/spatial/exports.ts';
import type { StableExports } from '../../src/kernel/generated/stable/exports.ts';
import type { KernelExports } from '../../src/kernel/instance.ts';
import { BASE, builds, release } from './builds.ts';
import { Layout } from './layout.ts';

const LENGTHS = [0, 8, 16, 24, 64, 72, 1000, 4096];

/** Two bodies of the same length. Half of their bytes are likely to be equal, and many of their bits to be 0. */
const pairs = fc
  .constantFrom(...LENGTHS)
  .chain((length) =>
    fc.tuple(
      fc.uint8Array({ minLength: length, maxLength: length }),
      fc.uint8Array({ minLength: length, maxLength: length }),
    ),
  );

function ones(bytes: Uint8Array): number {
  return [...bytes].reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
}

describe.each(builds)('bits in $name', ({ open, maxPages }) => {
  const { kernel, memory } = open(2);

  /** Puts both byte arrays into memory, with guards around each. */
  function put(one: Uint8Array, other: Uint8Array): { a: Uint8Array; b: Uint8Array; layout: Layout } {
    const layout = new Layout(memory);
    const a = layout.take(Uint8Array, one.length);
    const b = layout.take(Uint8Array, other.length);
    a.set(one);
    b.set(other);
    return { a, b, layout };
  }

  it('counts the bits that are set', () => {
    const property = fc.property(pairs, ([one, other]) => {
      const { a, layout } = put(one, other);
      expect(kernel.bits_count(a.byteOffset, a.length)).toBe(ones(one));
      expect([...a]).toEqual([...one]);
      expect(layout.intact).toBe(true);
    });
    fc.assert(property);
  });

  it.each(LENGTHS)('counts no bits and all bits of %i bytes', (length) => {
    const { a } = put(new Uint8Array(length), new Uint8Array(length));
    expect(kernel.bits_count(a.byteOffset, length)).toBe(0);
    a.fill(0xff);
    expect(kernel.bits_count(a.byteOffset, length)).toBe(8 * length);
  });

  it.each([
    { name: 'bits_or', merge: (x: number, y: number) => x | y },
    { name: 'bits_and', merge: (x: number, y: number) => x & y },
  ] as const)('$name changes only the target', ({ name, merge }) => {
    const property = fc.property(pairs, ([one, other]) => {
      const { a, b, layout } = put(one, other);
      kernel[name](a.byteOffset, b.byteOffset, a.length);
      expect([...a]).toEqual([...one].map((byte, i) => merge(byte, other[i] ?? 0)));
      expect([...b]).toEqual([...other]);
      expect(layout.intact).toBe(true);
    });
    fc.assert(property);
  });

  it('tells equal from different', () => {
    const property = fc.property(pairs, ([one, other]) => {
      const { a, b, layout } = put(one, other);
      const same = Buffer.compare(one, other) === 0;
      expect(kernel.bits_equal(a.byteOffset, b.byteOffset, a.length)).toBe(Number(same));
      b.set(one);
      expect(kernel.bits_equal(a.byteOffset, b.byteOffset, a.length)).toBe(1);
      expect(layout.intact).toBe(true);
    });
    fc.assert(property);
  });

  it('sees a single different bit, wherever it is', () => {
    const { a, b } = put(new Uint8Array(40).fill(0x5a), new Uint8Array(40).fill(0x5a));
    for (let bit = 0; bit < 320; bit++) {
      const before = b[bit >> 3] ?? 0;
      b[bit >> 3] = before ^ (1 << (bit & 7));
      expect(kernel.bits_equal(a.byteOffset, b.byteOffset, 40)).toBe(0);
      b[bit >> 3] = before;
    }
    expect(kernel.bits_equal(a.byteOffset, b.byteOffset, 40)).toBe(1);
  });

  it.each(LENGTHS)('fills %i bytes', (length) => {
    const { a, layout } = put(new Uint8Array(length).fill(0x33), new Uint8Array(0));
    for (const value of [0xff, 0x5a, 0]) {
      kernel.bits_fill(a.byteOffset, value, length);
      expect(a.every((byte) => byte === value)).toBe(true);
      expect(layout.intact).toBe(true);
    }
  });

  it('reaches the last byte of the largest memory', () => {
    const { kernel, memory } = open(maxPages);
    const end = maxPages * 65536;
    const last = new Uint8Array(memory.buffer, end - 32);
    kernel.bits_fill(end - 32, 0xff, 32);
    kernel.bits_fill(end - 32, 0x0f, 16);
    expect([...last]).toEqual([...Array(16).fill(0x0f), ...Array(16).fill(0xff)]);
    expect(kernel.bits_count(end - 32, 32)).toBe(192);
    expect(kernel.bits_equal(end - 32, end - 16, 16)).toBe(0);
    kernel.bits_and(end - 16, end - 32, 16);
    expect(kernel.bits_equal(end - 32, end - 16, 16)).toBe(1);
    last.fill(0xf0, 0, 16);
    kernel.bits_or(end - 16, end - 32, 16);
    expect(kernel.bits_count(end - 16, 16)).toBe(128);
  });
});

it('counts past 2^32', () => {
  // Runs in one build only, because half a gigabyte takes time.
  const length = 2 ** 29 + 64;
  const opened = release.open(Math.ceil((BASE + length) / 65536));
  const kernel = opened.kernel as KernelExports & RotatingExports & SpatialExports & StableExports;
  kernel.bits_fill(BASE, 0xff, length);
  expect(kernel.bits_count(BASE, length)).toBe(8 * length);
  // Cells of one bit, and a single lane.
  expect(kernel.stable_used(BASE, length, 0)).toBe(8 * length);
  expect(kernel.spatial_used(BASE, length, 0, 1)).toBe(8 * length);
  expect(kernel.rotating_used(BASE, length / 32, 1, 0)).toBe(8 * length);
});

// An address from there on is negative where it is taken for a signed integer.
it.each(builds.filter(({ maxPages }) => maxPages > 2 ** 15))('takes bodies across 2^31 in $name', ({ open }) => {
  const { kernel, memory } = open(2 ** 15 + 1);
  const [target, source] = [2 ** 31 - 32, 2 ** 31 + 64];
  const body = new Uint8Array(memory.buffer, target, 64);
  kernel.bits_fill(target, 0x3c, 64);
  expect(kernel.bits_count(target, 64)).toBe(256);
  kernel.bits_fill(source, 0x0f, 64);
  kernel.bits_or(target, source, 64);
  expect(body.every((byte) => byte === 0x3f)).toBe(true);
  kernel.bits_fill(source, 0xf8, 64);
  kernel.bits_and(target, source, 64);
  expect(body.every((byte) => byte === 0x38)).toBe(true);
  expect(kernel.bits_equal(target, source, 64)).toBe(0);
  kernel.bits_fill(source, 0x38, 64);
  expect(kernel.bits_equal(target, source, 64)).toBe(1);
  body[63] = 0;
  expect(kernel.bits_equal(target, source, 64)).toBe(0);
});
