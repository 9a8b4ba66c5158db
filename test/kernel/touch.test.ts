import { describe, expect, it } from 'vitest';
import type { RotatingExports } from '../../src/kernel/generated/rotating/exports.ts';
import type { StableExports } from '../../src/kernel/generated/stable/exports.ts';
import type { WideExports } from '../../src/kernel/generated/wide/exports.ts';
import type { KernelExports } from '../../src/kernel/instance.ts';
import { randomFrom } from '../shared/random.ts';
import { type Build, builds } from './builds.ts';
import { Layout } from './layout.ts';

// The parity tests and the vectors cover small bodies only. From 1 MiB on, blocks are touched before they are probed.

const COUNT = 1000;
const PAGES = 66;

type Step = (body: number, blocks: number, hashes: number, count: number, flags: number) => number;

interface Subject {
  readonly name: string;
  readonly blockBytes: number;
  stepsOf(kernel: KernelExports): { readonly add: Step; readonly has: Step };
}

const subjects: readonly Subject[] = [
  {
    name: 'blocked',
    blockBytes: 32,
    stepsOf: ({ blocked_add: add, blocked_has: has }) => ({ add, has }),
  },
  {
    name: 'wide',
    blockBytes: 64,
    stepsOf(kernel) {
      const { wide_add, wide_has } = kernel as KernelExports & WideExports;
      return { add: (...chunk) => wide_add(...chunk, 0), has: (...chunk) => wide_has(...chunk, 0) };
    },
  },
  {
    name: 'stable, 256 cells for a block',
    blockBytes: 64,
    stepsOf(kernel) {
      const { stable_add, stable_has } = kernel as KernelExports & StableExports;
      return {
        add: (body, blocks, ...chunk) => stable_add(body, 256 * blocks, 1, 4, 30, 5, 6, ...chunk),
        has: (body, blocks, ...chunk) => stable_has(body, 256 * blocks, 1, 4, ...chunk),
      };
    },
  },
  {
    name: 'rotating, 3 lanes',
    blockBytes: 96,
    stepsOf(kernel) {
      const { rotating_add, rotating_has } = kernel as KernelExports & RotatingExports;
      return {
        add: (body, blocks, hashes, count, flags) =>
          rotating_add(body, blocks, 3, 1, count, hashes, count, flags) >>> 16,
        has: (body, blocks, hashes, count, flags) => rotating_has(body, blocks, 3, hashes, count, flags),
      };
    },
  },
];

interface Outcome {
  readonly counts: number[];
  readonly flags: Uint8Array[];
  readonly body: Uint8Array;
}

function play({ blockBytes, stepsOf }: Subject, { open }: Build): Outcome {
  const { kernel, memory } = open(PAGES);
  const { add, has } = stepsOf(kernel);
  const blocks = Math.ceil(2 ** 22 / blockBytes) + 1;
  const layout = new Layout(memory);
  const hashes = layout.take(Uint32Array, 4 * COUNT);
  const flags = layout.take(Uint8Array, COUNT);
  const body = layout.take(Uint8Array, blockBytes * blocks);
  const random = randomFrom(3);
  const outcomes = [has, add, add, has].map((step) => {
    for (let i = 0; i < 4 * COUNT; i++) hashes[i] = random(2 ** 32);
    // The second half of the keys repeats the first.
    hashes.copyWithin(0, 2 * COUNT);
    const count = step(body.byteOffset, blocks, hashes.byteOffset, COUNT, flags.byteOffset);
    return { count, flags: flags.slice() };
  });
  expect(layout.intact).toBe(true);
  return { counts: outcomes.map(({ count }) => count), flags: outcomes.map((one) => one.flags), body: body.slice() };
}

const [first, ...others] = builds as [Build, ...Build[]];

describe.each(subjects)('many blocks: $name', (subject) => {
  it.each(others)(`give the same in $name as in ${first.name}`, (build) => {
    const expected = play(subject, first);
    const played = play(subject, build);
    expect(played.counts).toEqual(expected.counts);
    expect(played.flags).toEqual(expected.flags);
    expect(Buffer.compare(played.body, expected.body)).toBe(0);
    // Of two equal keys, only the first is new.
    expect(expected.counts.slice(1, 3)).toEqual([COUNT / 2, COUNT / 2]);
  });
});
