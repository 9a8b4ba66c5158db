// The memory of the kernel: the static data of modules that share one, which the build checks, and the allocator.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HEAP_BASE } from '../../src/kernel/generated/kernel/exports.ts';
import { compile } from '../../tools/kernel.ts';
import { linkedModules, type Module, modules } from '../../tools/modules.ts';
import { endOf, heapBase, requireRanges } from '../../tools/static-data.ts';
import { randomFrom } from '../shared/random.ts';
import { builds, js, type Opened, release, scalar } from './builds.ts';

const PAGE = 65_536;
const REFUSED = /unreachable|abort/;

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

type Block = Readonly<Record<'at' | 'length' | 'value', number>>;

/** The allocator, with a record of its blocks, each filled with one value: so it shows if anything else writes to it. */
class Blocks {
  readonly #opened: Opened;
  readonly #live = new Set<Block>();

  constructor(opened: Opened) {
    this.#opened = opened;
  }

  #bytes({ at, length }: Block): Uint8Array {
    // A new view each time, because growth replaces the buffer.
    return new Uint8Array(this.#opened.memory.buffer, at, length);
  }

  allocate(length: number): Block {
    const { kernel, memory } = this.#opened;
    const at = kernel.allocate(length);
    expect(at % 16).toBe(0);
    expect(at).toBeGreaterThanOrEqual(kernel.heap_base());
    expect(at + length).toBeLessThanOrEqual(memory.buffer.byteLength);
    const block = { at, length, value: this.#live.size % 256 };
    this.#bytes(block).fill(block.value);
    this.#live.add(block);
    return block;
  }

  release(block: Block): void {
    this.#live.delete(block);
    this.#opened.kernel.release(block.at);
  }

  /** Allocates blocks until there is no memory for another, and returns the number of bytes allocated. */
  exhaust(length: number): number {
    for (let taken = 0; ; taken += length) {
      try {
        this.allocate(length);
      } catch (error) {
        // Fail if an assertion has thrown the error.
        expect(String(error)).toMatch(REFUSED);
        return taken;
      }
    }
  }

  expectWhole(): void {
    const broken = [...this.#live].filter((block) => this.#bytes(block).some((byte) => byte !== block.value));
    expect(broken).toEqual([]);
    // Values repeat, so a block could overlap another with the same value.
    const sorted = [...this.#live].sort((one, other) => one.at - other.at);
    expect(sorted.filter(({ at, length }, i) => at + length > (sorted[i + 1]?.at ?? Infinity))).toEqual([]);
  }

  releaseAll(): void {
    this.expectWhole();
    for (const block of this.#live) this.release(block);
  }
}

describe.each(builds)('the allocator of $name', ({ open }) => {
  it('gives aligned blocks that do not overlap, in whatever order they are allocated and released', () => {
    const opened = open(1, 200);
    const blocks = new Blocks(opened);
    const random = randomFrom(7);
    const held: Block[] = [];
    for (let i = 0; i < 1000; i++) {
      if (held.length > 0 && random(5) < 2) {
        for (const block of held.splice(random(held.length), 1)) blocks.release(block);
      } else {
        held.push(blocks.allocate(random(random(20) ? 300 : 100_000)));
      }
      if (i % 100 === 99) blocks.expectWhole();
    }
    // The memory has grown, so its content was moved.
    expect(opened.memory.buffer.byteLength).toBeGreaterThan(10 * PAGE);
  });

  it('reuses released blocks, and merges released neighbors', () => {
    const blocks = new Blocks(open(4));
    for (let i = 0; i < 1000; i++) {
      for (const block of [blocks.allocate(20_000 + 9 * i), blocks.allocate(i % 500)]) blocks.release(block);
    }
    const most = Math.floor(0.9 * (4 * PAGE - HEAP_BASE));
    expect(blocks.exhaust(1000)).toBeGreaterThan(most);
    blocks.releaseAll();
    expect(blocks.allocate(most).length).toBe(most);
  });

  // Growth doubles the memory if allowed. With a limit of 5 pages, it must ask for less.
  it.each([
    [1, 1],
    [1, 5],
    [3, 5],
    [5, 5],
  ])('with %i pages that may grow to %i: stops there, harms nothing, and still works', (pages, maximum) => {
    const opened = open(pages, maximum);
    for (let i = 0; i < 4; i++) {
      const blocks = new Blocks(opened);
      if (i === 0) blocks.allocate(1000);
      expect(blocks.exhaust(PAGE)).toBe((maximum - 1) * PAGE);
      expect(opened.memory.buffer.byteLength).toBe(maximum * PAGE);
      expect(blocks.exhaust(4000)).toBeGreaterThan(0.8 * (PAGE - HEAP_BASE));
      blocks.releaseAll();
    }
  });

  it('refuses what does not fit, and still works', () => {
    const opened = open(1, 1);
    const blocks = new Blocks(opened);
    const first = blocks.allocate(100);
    for (const length of [PAGE, 2 ** 30, 2 ** 30 + 1, 2 ** 31, 2 ** 32 - 1]) {
      expect(() => opened.kernel.allocate(length)).toThrow(REFUSED);
    }
    blocks.allocate(PAGE - HEAP_BASE - 8192);
    blocks.release(first);
    expect(blocks.allocate(100).at).toBe(first.at);
    blocks.expectWhole();
  });
});
