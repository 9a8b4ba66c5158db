import { HEAP_BASE } from './generated/exports.ts';
import type { Engine, Instance, Instantiated } from './kernel.ts';
import { PADDING, SCRATCH_BYTES, Scratch } from './scratch.ts';

const PAGE = 65536;
/** A filter of more bytes has an instance of its own, so that its memory goes back to the system with it. */
export const OWN_BYTES: number = 2 ** 20;
/** Small filters share instances whose memory grows up to this. */
const ARENA_PAGES: number = 2 ** 26 / PAGE;

/** The next multiple of 64: no block of a filter may straddle a cache line, and the allocator aligns to 16. */
function align(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

const SCRATCH_AT: number = align(HEAP_BASE);
const OWN_BODY_AT: number = align(SCRATCH_AT + SCRATCH_BYTES);

/** How an engine makes an instance over a memory of `pages` that may grow to `maximum`; RangeError without memory. */
export type Instantiate = (pages: number, maximum: number) => Instantiated;

/**
 * A literal: what Node 20 makes of a spread, `{ ...made, scratch }`, may have another hidden class each time, and for each
 * of them compiled code that reads it is thrown away.
 */
function instanceOf({ kernel, memory, readsText }: Instantiated, scratchAt: number): Instance {
  return { kernel, memory, readsText, scratch: new Scratch(memory, scratchAt) };
}

/** The memory of one filter: zeroed, aligned to 64 bytes, and a multiple of 64 bytes long. */
export class Region {
  #instance: Instance | undefined;
  readonly #free: ((region: Region) => void) | undefined;
  readonly pointer: number;
  /** As many bytes as were asked for. */
  readonly byteLength: number;
  /** With the padding, whose bytes are zero and are to stay so. */
  readonly paddedLength: number;

  constructor(instance: Instance, pointer: number, byteLength: number, free?: (region: Region) => void) {
    this.#instance = instance;
    this.pointer = pointer;
    this.byteLength = byteLength;
    this.paddedLength = align(byteLength);
    this.#free = free;
  }

  /** Where the filter lives. Throws a TypeError after `dispose`. */
  get instance(): Instance {
    if (this.#instance === undefined) throw new TypeError('the filter was used after dispose()');
    return this.#instance;
  }

  get disposed(): boolean {
    return this.#instance === undefined;
  }

  /** All of it. The view is good until anything is allocated. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.instance.memory.buffer, this.pointer, this.paddedLength);
  }

  /** Makes sure that the first bytes can be used. Only a region that was reserved to grow has less than all. */
  commit(byteLength: number): void {
    const { memory, scratch } = this.instance;
    const missing = this.pointer + align(byteLength) + PADDING - memory.buffer.byteLength;
    if (missing <= 0) return;
    if (memory.grow(Math.ceil(missing / PAGE)) < 0) throw new RangeError('no memory');
    scratch.refresh();
  }

  clear(): void {
    this.instance.kernel.bits_fill(this.pointer, 0, this.paddedLength);
  }

  dispose(): void {
    if (this.#instance === undefined) return;
    this.#instance = undefined;
    this.#free?.(this);
  }
}

/** An instance that small filters share. */
class Arena {
  readonly instance: Instance;
  /** How many blocks are in use. */
  live = 0;
  /** The smallest size that it had no room for since something was last freed. */
  #refused = Infinity;

  constructor(instantiate: Instantiate) {
    const pages = Math.ceil((SCRATCH_AT + SCRATCH_BYTES + 2 * PADDING) / PAGE) + 1;
    const made = instantiate(pages, ARENA_PAGES);
    const pointer = align(made.kernel.allocate(SCRATCH_BYTES + PADDING));
    this.instance = instanceOf(made, pointer);
  }

  /** A pointer to a block of memory, or undefined when there is no room for it. */
  allocate(byteLength: number): number | undefined {
    if (byteLength >= this.#refused) return undefined;
    const { kernel, scratch } = this.instance;
    try {
      const block = kernel.allocate(byteLength);
      scratch.refresh();
      this.live++;
      return block;
    } catch {
      // The allocator traps where its memory cannot grow, and leaves everything as it was.
      this.#refused = byteLength;
      return undefined;
    }
  }

  release(block: number): void {
    this.instance.kernel.release(block);
    this.live--;
    this.#refused = Infinity;
  }
}

/** Adds to a way of making instances all that both engines share: arenas, own instances, limits, disposal. */
export function createEngine(name: 'wasm' | 'js', maxPages: number, instantiate: Instantiate): Engine {
  const maxBytes = maxPages * PAGE - OWN_BODY_AT - PADDING;
  const arenas = new Set<Arena>();
  // A safety net under dispose(), which some runtimes lack. What it holds must not lead to the region.
  const abandoned = globalThis.FinalizationRegistry && new FinalizationRegistry<() => void>((release) => release());

  function reserveIn(arena: Arena, byteLength: number): Region | undefined {
    const block = arena.allocate(align(byteLength) + 2 * PADDING);
    if (block === undefined) return undefined;
    const release = (): void => {
      arena.release(block);
      if (arena.live === 0 && arenas.size > 1) arenas.delete(arena);
    };
    const pointer = align(block);
    const region = new Region(arena.instance, pointer, byteLength, (disposed) => {
      abandoned?.unregister(disposed);
      release();
    });
    region.clear();
    abandoned?.register(region, release, region);
    return region;
  }

  function reserveShared(byteLength: number): Region | undefined {
    for (const arena of arenas) {
      const region = reserveIn(arena, byteLength);
      if (region) return region;
    }
    const arena = new Arena(instantiate);
    const region = reserveIn(arena, byteLength);
    if (region) arenas.add(arena);
    return region;
  }

  function reserveOwn(byteLength: number, grows: boolean): Region {
    const pagesFor = (bytes: number): number => Math.ceil((OWN_BODY_AT + align(bytes) + PADDING) / PAGE);
    const made = instantiate(pagesFor(grows ? 0 : byteLength), pagesFor(byteLength));
    return new Region(instanceOf(made, SCRATCH_AT), OWN_BODY_AT, byteLength);
  }

  function reserve(byteLength: number, grows = false): Region {
    if (byteLength > maxBytes) {
      throw new RangeError(`a filter of ${byteLength} bytes is too large: the ${name} engine holds ${maxBytes}`);
    }
    let cause: unknown;
    // V8 refuses about the 13,000th memory of a process, whatever its size: an arena may still have room.
    const shared = grows ? [] : [reserveShared];
    for (const attempt of grows || byteLength > OWN_BYTES ? [reserveOwn, ...shared] : shared) {
      try {
        const region = attempt(byteLength, grows);
        if (region) return region;
      } catch (error) {
        // What both engines throw where there is no memory.
        if (!(error instanceof RangeError)) throw error;
        cause = error;
      }
    }
    throw new RangeError(`no memory for a filter of ${byteLength} bytes`, { cause });
  }

  return { name, maxBytes, reserve };
}
