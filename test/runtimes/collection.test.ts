// When browsers are made to collect garbage memories.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const MIB = 2 ** 20;

/** The sizes of the buffers that were asked for. */
const asked: number[] = [];

beforeEach(() => {
  asked.length = 0;
  vi.resetModules();
  // Also the clock of `performance`.
  vi.useFakeTimers();
  vi.stubGlobal('ArrayBuffer', function (this: unknown, length: number): never {
    asked.push(length);
    vi.advanceTimersByTime(40);
    throw new RangeError('no memory');
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function counting(userAgent: string): Promise<(bytes: number) => void> {
  vi.stubGlobal('navigator', { userAgent });
  return (await import('../../src/kernel/runtime.ts')).countMemory;
}

it('a browser collects garbage before the memory after each 96 MiB in one turn, and later if that takes long', async () => {
  const countMemory = await counting('Mozilla/5.0');
  for (let i = 0; i < 3; i++) countMemory(32 * MIB);
  expect(asked).toEqual([]);
  countMemory(32 * MIB);
  expect(asked).toEqual([2 ** 33]);
  // It took 40 ms: 10 MiB more.
  countMemory(73 * MIB);
  countMemory(MIB);
  expect(asked).toHaveLength(1);
  countMemory(MIB);
  expect(asked).toHaveLength(2);
  // In the next turn, finalizers have run.
  vi.runAllTimers();
  countMemory(105 * MIB);
  countMemory(MIB);
  expect(asked).toHaveLength(2);
});

it('other runtimes count memories themselves', async () => {
  const countMemory = await counting('Node.js/20');
  for (let i = 0; i < 9; i++) countMemory(96 * MIB);
  expect(asked).toEqual([]);
});
