import { describe, expect, it } from 'vitest';
import { HEAP_BASE } from '../../src/kernel/generated/kernel/exports.ts';
import { randomFrom } from '../shared/random.ts';
import { builds, js, type Opened, release, scalar } from './builds.ts';

const PAGE = 65536;

it.each([release, scalar, js])('HEAP_BASE is above the static data of $name', ({ open }) => {
  expect(open(1).kernel.heap_base()).toBeLessThanOrEqual(HEAP_BASE);
});

/** A block filled with one value, which shows later whether anything else has written to it. */
interface Block {
  readonly at: number;
  readonly length: number;
  readonly value: number;
}

/** The allocator, with a record of the blocks it has allocated. */
class Blocks {
  readonly #opened: Opened;
  readonly #live = new Set<Block>();
  #value = 0;

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
    this.#value = (this.#value + 1) % 256;
    const block = { at, length, value: this.#value };
    this.#bytes(block).fill(block.value);
    this.#live.add(block);
    return block;
  }

  release(block: Block): void {
    this.#live.delete(block);
    this.#opened.kernel.release(block.at);
  }

  releaseAll(): void {
    for (const block of this.#live) this.release(block);
  }

  /** Allocates blocks until there is no memory for another, and returns the number of bytes allocated. */
  exhaust(length: number): number {
    for (let taken = 0; ; taken += length) {
      try {
        this.allocate(length);
      } catch (error) {
        // Fail if an assertion has thrown the error.
        expect(String(error)).toMatch(/unreachable|abort/);
        return taken;
      }
    }
  }

  expectWhole(): void {
    const broken = [...this.#live].filter((block) => this.#bytes(block).some((byte) => byte !== block.value));
    expect(broken).toEqual([]);
    // Values repeat, so a block could overlap another with the same value.
    const sorted = [...this.#live].sort((one, other) => one.at - other.at);
    const overlapping = sorted.filter(({ at }, i) => {
      const before = sorted[i - 1];
      return before !== undefined && before.at + before.length > at;
    });
    expect(overlapping).toEqual([]);
  }
}

describe.each(builds)('the allocator of $name', ({ open }) => {
  it('gives aligned blocks that do not overlap, in whatever order they are allocated and released', () => {
    const opened = open(1, 200);
    const blocks = new Blocks(opened);
    const random = randomFrom(7);
    const held: Block[] = [];
    for (let i = 0; i < 2000; i++) {
      if (held.length > 0 && random(5) < 2) {
        for (const block of held.splice(random(held.length), 1)) blocks.release(block);
      } else {
        held.push(blocks.allocate(random(random(20) ? 300 : 100_000)));
      }
      if (i % 100 === 0) blocks.expectWhole();
    }
    blocks.expectWhole();
    // The memory has grown, so its content was moved.
    expect(opened.memory.buffer.byteLength).toBeGreaterThan(10 * PAGE);
  });

  it('reuses released blocks', () => {
    const opened = open(2, 100);
    const blocks = new Blocks(opened);
    for (let i = 0; i < 1000; i++) {
      const pair = [blocks.allocate(20_000 + 9 * i), blocks.allocate(i % 500)];
      for (const block of pair) blocks.release(block);
    }
    expect(opened.memory.buffer.byteLength).toBe(2 * PAGE);
  });

  it('merges released neighbors', () => {
    const opened = open(4);
    const blocks = new Blocks(opened);
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
    const blocks = new Blocks(opened);
    blocks.allocate(1000);
    const first = blocks.exhaust(PAGE);
    expect(first).toBe((maximum - 1) * PAGE);
    expect(opened.memory.buffer.byteLength).toBe(maximum * PAGE);
    blocks.expectWhole();

    expect(blocks.exhaust(4000)).toBeGreaterThan(0.8 * (PAGE - HEAP_BASE));
    blocks.expectWhole();
    blocks.releaseAll();
    for (let i = 0; i < 3; i++) {
      const again = new Blocks(opened);
      expect(again.exhaust(PAGE)).toBe(first);
      expect(again.exhaust(4000)).toBeGreaterThan(0.8 * (PAGE - HEAP_BASE));
      again.expectWhole();
      again.releaseAll();
    }
    expect(opened.memory.buffer.byteLength).toBe(maximum * PAGE);
  });

  it.each([PAGE, 2 ** 30, 2 ** 30 + 1, 2 ** 31, 2 ** 32 - 1])('refuses %i bytes, and still works', (length) => {
    const opened = open(1, 1);
    const blocks = new Blocks(opened);
    const before = blocks.allocate(100);
    expect(() => opened.kernel.allocate(length)).toThrow(/unreachable|abort/);
    expect(opened.memory.buffer.byteLength).toBe(PAGE);
    blocks.allocate(PAGE - HEAP_BASE - 8192);
    blocks.release(before);
    expect(blocks.allocate(100).at).toBe(before.at);
    blocks.expectWhole();
  });

  it('is separate for each instance', () => {
    const [one, other] = [open(1, 4), open(1, 4)];
    const blocks = new Blocks(one);
    const others = new Blocks(other);
    expect(others.allocate(1000).at).toBe(blocks.allocate(1000).at);
    blocks.exhaust(1000);
    expect(other.memory.buffer.byteLength).toBe(PAGE);
    expect(others.exhaust(1000)).toBeGreaterThan(3.5 * PAGE);
    blocks.expectWhole();
    others.expectWhole();
  });

  it('lets the kernel go on after growth has moved its memory', () => {
    const { kernel, memory } = open(1, 8);
    const at = kernel.allocate(1024);
    kernel.bits_fill(at, 0xff, 1024);
    kernel.allocate(3 * PAGE);
    expect(memory.buffer.byteLength).toBeGreaterThan(3 * PAGE);
    expect(kernel.bits_count(at, 1024)).toBe(8192);
    kernel.bits_fill(at, 1, 1024);
    expect(new Uint8Array(memory.buffer, at, 1024).every((byte) => byte === 1)).toBe(true);
  });
});
