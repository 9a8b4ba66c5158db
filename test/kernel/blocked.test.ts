import { expect, it } from 'vitest';
import { randomFrom } from '../random.ts';
import { type Build, builds } from './builds.ts';
import { Layout } from './layout.ts';

// Parity and the vectors cover small bodies. From 4 MiB on blocks are touched before they are probed.

const BLOCKS = 2 ** 17 + 1;
const COUNT = 1000;
const PAGES = 66;

function play({ open }: Build): { counts: number[]; flags: Uint8Array[]; body: Uint8Array } {
  const { kernel, memory } = open(PAGES);
  const layout = new Layout(memory);
  const hashes = layout.take(Uint32Array, 4 * COUNT);
  const flags = layout.take(Uint8Array, COUNT);
  const body = layout.take(Uint8Array, 32 * BLOCKS);
  const random = randomFrom(3);
  const outcomes: { count: number; flags: Uint8Array }[] = [];
  for (const name of ['blocked_has', 'blocked_add', 'blocked_add', 'blocked_has'] as const) {
    for (let i = 0; i < 4 * COUNT; i++) hashes[i] = random(2 ** 32);
    // The second half of the keys are the first again.
    hashes.copyWithin(0, 2 * COUNT);
    const count = kernel[name](body.byteOffset, BLOCKS, hashes.byteOffset, COUNT, flags.byteOffset);
    outcomes.push({ count, flags: flags.slice() });
  }
  expect(layout.intact).toBe(true);
  return { counts: outcomes.map(({ count }) => count), flags: outcomes.map((one) => one.flags), body: body.slice() };
}

const [first, ...others] = builds;

it.each(others)('$name does with many blocks what release.wasm does', (build) => {
  const expected = play(first as Build);
  const played = play(build);
  expect(played.counts).toEqual(expected.counts);
  expect(played.flags).toEqual(expected.flags);
  expect(Buffer.compare(played.body, expected.body)).toBe(0);
  // Of those that are added twice only the first is new.
  expect(expected.counts.slice(1, 3)).toEqual([COUNT / 2, COUNT / 2]);
});
