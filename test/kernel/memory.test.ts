// The memory of the kernel: the static data of modules that share one, which the build checks, and what is free above.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, type Mock, vi } from 'vitest';
import { Arena, BODIES_AT, SCRATCH_AT } from '../../src/kernel/arena.ts';
import { FreeList } from '../../src/kernel/free-list.ts';
import { HEAP_BASE } from '../../src/kernel/generated/kernel/exports.ts';
import { instanceOf } from '../../src/kernel/instance.ts';
import { Region } from '../../src/kernel/region.ts';
import type { Memory } from '../../src/kernel/scratch.ts';
import { compile } from '../../tools/kernel.ts';
import { linkedModules, type Module, modules } from '../../tools/modules.ts';
import { endOf, heapBase, requireRanges } from '../../tools/static-data.ts';
import { range } from '../shared/integers.ts';
import { builds, js, release, scalar } from './builds.ts';

const PAGE = 65_536;

it.each([release, scalar, js])('HEAP_BASE is above the static data of $name', ({ open }) => {
  expect(open(1).kernel.heap_base()).toBeLessThanOrEqual(HEAP_BASE);
});

it('modules are refused whose static data do not end before the next', async () => {
  const linked = linkedModules.find(({ name }) => name === 'wide') as Module;
  const end = endOf(linked) ?? 0;
  expect(end).toBe(linked.memoryBase + 1024);
  const late = { ...linked, memoryBase: end - 16 };
  await expect(compile(late, 'release', join(tmpdir(), 'late.wasm'))).rejects.toThrow('limit exceeded by static data');
});

it('modules are refused unless they follow one another below the heap', () => {
  const [first] = linkedModules as [Module];
  for (const wrong of [[...modules].reverse(), [{ ...first, memoryBase: 16 * 1024 - 16 }]]) {
    expect(() => requireRanges(wrong)).toThrow(/^tools\/modules\.ts: bases must rise from 16384/);
  }
  expect(modules.every(({ memoryBase }) => memoryBase < HEAP_BASE)).toBe(true);
  expect(heapBase('build/kernel.release.wasm')).toBe(HEAP_BASE);
});

/** Calls `take` and `release` of a list of free parts from 1000 on, and checks it against the parts that are held. */
class Parts {
  readonly #list = new FreeList(1000);
  /** The parts that are held, as pairs of their start and their end, in order. */
  readonly held: (readonly [number, number])[] = [];

  take(length: number): void {
    const start = this.#list.take(length);
    const gaps = this.held.map(([start], i): [number, number] => [this.held[i - 1]?.[1] ?? 1000, start]);
    const fitting = gaps.filter(([from, to]) => to - from >= length);
    if (!fitting.some(([from]) => from === start)) {
      expect(start).toBe(this.held.at(-1)?.[1] ?? 1000);
      // Beyond all that is held only if no gap is long enough, or hardly so, and among others that are too short.
      expect(fitting.filter(([from, to]) => to - from > 1.125 * length || gaps.length <= 4)).toEqual([]);
    }
    this.held.push([start, start + length]);
    this.held.sort(([one], [other]) => one - other);
  }

  release(at: number): void {
    for (const [start, end] of this.held.splice(at % (this.held.length || 1), 1))
      this.#list.release(start, end - start);
  }
}

describe('the list of free parts', () => {
  it('gives parts that do not overlap, and takes each gap for its whole length', () => {
    const length = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 2 ** 26 }));
    const call = fc.tuple(fc.boolean(), fc.oneof(fc.nat(20), length), length);
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60, size: 'max' }), (calls) => {
        const parts = new Parts();
        for (const [isTaken, at, length] of calls) isTaken ? parts.take(length) : parts.release(at);
        while (parts.held.length > 0) parts.release(0);
        parts.take(2 ** 31);
      }),
    );
  });
});

it('free parts are all taken again, in whatever order they were merged', () => {
  const list = new FreeList(0);
  const starts = range(0, 40).map(() => list.take(64));
  for (const start of starts.filter((_, i) => i % 2 === 0)) list.release(start, 64);
  for (const start of starts.filter((_, i) => i % 8 === 1)) list.release(start, 64);
  const again = range(0, 25).map(() => list.take(64));
  expect(new Set(again).size).toBe(25);
  expect(Math.max(...again)).toBeLessThan(40 * 64);
});

describe.each(builds)('an arena over $name', ({ open }) => {
  const arenaOf = (pages: number, maximum: number): [Arena, Memory, Mock] => {
    const released = vi.fn();
    const { kernel, memory } = open(pages, maximum);
    return [new Arena({ kernel, memory, readableUnits: 0 }, 2 ** 20, undefined, released), memory, released];
  };

  /** Reserves regions until there is no room, each zeroed, and fills them with ones. */
  function exhaust(arena: Arena, byteLength: number): Region[] {
    const regions: Region[] = [];
    for (;;) {
      const region = arena.reserve(byteLength);
      if (!region) return regions;
      expect(region.pointer % 64).toBe(0);
      expect(region.instance.scratch.keyBytes.buffer).toBe(region.instance.memory.buffer);
      expect(region.bytes.some((byte) => byte !== 0)).toBe(false);
      regions.push(region);
      region.bytes.fill(255);
    }
  }

  // Growth doubles the memory if allowed. With a limit of 5 pages, it must ask for less.
  it.each([
    [4, 4],
    [4, 5],
    [4, 8],
    [4, 9],
  ])('with %i pages that may grow to %i: stops there, harms nothing, and still works', (pages, maximum) => {
    const [arena, memory, released] = arenaOf(pages, maximum);
    // The last one takes all that there is.
    for (const byteLength of [1000, 64, 20_000, maximum * PAGE - BODIES_AT - 64]) {
      const regions = exhaust(arena, byteLength);
      expect(memory.buffer.byteLength).toBe(maximum * PAGE);
      const length = Math.ceil(byteLength / 64) * 64 + 64;
      expect(regions).toHaveLength(Math.floor((maximum * PAGE - BODIES_AT) / length));
      expect(arena.used).toBe(regions.length * length);
      const starts = regions.map(({ pointer }) => pointer).toSorted((one, other) => one - other);
      expect(starts).toEqual(regions.map((_, i) => BODIES_AT + i * length));
      for (const region of regions) region.dispose();
      expect(arena.used).toBe(0);
    }
    expect(released).toHaveBeenCalledWith(arena);
  });

  it('takes no more than its limit, unless it is extended', () => {
    const [arena, memory] = arenaOf(4, 100);
    expect(exhaust(arena, 2 ** 17 - 64)).toHaveLength(8);
    // It was doubled three times.
    expect(memory.buffer.byteLength).toBe(32 * PAGE);
    expect(arena.extend(2 ** 20)?.byteLength).toBe(2 ** 20);
    expect(arena.outgrown).toBe(true);
    expect(arena.reserve(2 ** 20 - 128)).toBeDefined();
    const [full] = arenaOf(4, 4);
    expect(full.extend(2 ** 20)).toBe(undefined);
    expect([full.outgrown, full.used]).toEqual([false, 0]);
    // More than double.
    const [other, grown] = arenaOf(4, 100);
    expect(other.reserve(2 ** 20 - 128)).toBeDefined();
    expect(grown.buffer.byteLength).toBe(Math.ceil((BODIES_AT + 2 ** 20 - 64) / PAGE) * PAGE);
  });
});

describe.each(builds)('a region that grows, over $name', ({ open }) => {
  const pagesFor = (byteLength: number): number => Math.ceil((BODIES_AT + byteLength + 64) / PAGE);

  it('asks for an eighth more, or else for what it needs, or else says so', () => {
    const { kernel, memory } = open(4, pagesFor(24 * PAGE));
    const instance = instanceOf({ kernel, memory, readableUnits: 0 }, SCRATCH_AT);
    const region = new Region(instance, BODIES_AT, 32 * PAGE);
    const reached = (byteLength: number): number => {
      region.commit(byteLength);
      expect(instance.scratch.keyBytes.buffer).toBe(memory.buffer);
      return memory.buffer.byteLength / PAGE;
    };
    expect(reached(16 * PAGE)).toBe(pagesFor(18 * PAGE));
    expect(reached(18 * PAGE)).toBe(pagesFor(18 * PAGE));
    expect(reached(24 * PAGE)).toBe(pagesFor(24 * PAGE));
    const refused = expect.objectContaining({ name: 'FilterMemoryError', byteLength: 28 * PAGE });
    expect(() => region.commit(28 * PAGE)).toThrow(refused);
    expect(reached(1)).toBe(pagesFor(24 * PAGE));
  });

  it('never asks for more than it may take', () => {
    const { kernel, memory } = open(4, 100);
    const instance = instanceOf({ kernel, memory, readableUnits: 0 }, SCRATCH_AT);
    new Region(instance, BODIES_AT, 16 * PAGE).commit(16 * PAGE);
    expect(memory.buffer.byteLength).toBe(pagesFor(16 * PAGE) * PAGE);
  });
});
