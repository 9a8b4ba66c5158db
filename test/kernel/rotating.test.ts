import { describe, expect, it } from 'vitest';
import type { RotatingExports } from '../../src/kernel/generated/rotating/exports.ts';
import { builds } from './builds.ts';
import { Layout } from './layout.ts';

const COUNT = 600;
const UNTOUCHED = 9;
const BLOCKS = 1000;
const LANES = 2;
/** Multiples of this are the high halves of h1 that choose one block after the other. */
const STEP = Math.ceil(2 ** 32 / BLOCKS);

describe.each(builds)('a rotating filter in $name', ({ open }) => {
  const { kernel, memory } = open(4);
  const { rotating_add } = kernel as object as RotatingExports;
  const layout = new Layout(memory);
  const hashes = layout.take(Uint32Array, 4 * COUNT);
  const flags = layout.take(Uint8Array, COUNT);
  const body = layout.take(Uint8Array, 32 * BLOCKS * LANES);

  it.each([0, 5, 255, 256, 300])('stops before the key after %i that need room, whatever keys follow', (room) => {
    body.fill(0);
    flags.fill(UNTOUCHED);
    // So many different keys, one without room, and then the first one over and over.
    for (let i = 0; i < COUNT; i++) hashes.set([1, i <= room ? i * STEP : 0], 4 * i);
    const done = rotating_add(body.byteOffset, BLOCKS, LANES, 0, room, hashes.byteOffset, COUNT, flags.byteOffset);
    expect([done & 0xffff, done >>> 16]).toEqual([room, room]);
    expect([...flags.subarray(0, room + 1)]).toEqual(Array(room + 1).fill(1));
    expect(layout.intact).toBe(true);
  });
});
