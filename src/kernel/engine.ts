import { showBytes } from '../validate.ts';
import { HEAP_BASE } from './generated/kernel/exports.ts';
import type { Bare, Instance } from './kernel.ts';
import { align, type Engine, PAGE, Region } from './region.ts';
import { PADDING, SCRATCH_BYTES, Scratch } from './scratch.ts';

/** A filter larger than this, in bytes, has its own instance, so that its memory returns to the system with it. */
export const MAX_SHARED_BYTES: number = 2 ** 20;
/** The most pages of an instance that small filters share. */
const ARENA_PAGES: number = 2 ** 26 / PAGE;

const SCRATCH_AT: number = align(HEAP_BASE);
const OWN_BODY_AT: number = align(SCRATCH_AT + SCRATCH_BYTES);

/**
 * Makes a kernel over a memory of `pages` pages that may grow to `maximum` pages.
 *
 * @throws RangeError if the system has no more memory
 */
export type Instantiate<Linked = unknown> = (pages: number, maximum: number) => Bare<Linked>;

/**
 * Adds a scratch area to a kernel. Written as a literal because a spread, `{ ...bare, scratch }`, may have a new
 * hidden class each time in Node 20, and V8 then discards the compiled code that reads it.
 */
function instanceOf<Linked>({ kernel, memory, readsText }: Bare<Linked>, scratchAt: number): Instance<Linked> {
  return { kernel, memory, readsText, scratch: new Scratch(memory, scratchAt) };
}

/** An instance that small filters share. */
class Arena<Linked> {
  readonly instance: Instance<Linked>;
  /** The number of blocks in use. */
  live = 0;
  /** The smallest size that did not fit since a block was last released. */
  #refused = Infinity;

  constructor(instantiate: Instantiate<Linked>) {
    const pages = Math.ceil((SCRATCH_AT + SCRATCH_BYTES + 2 * PADDING) / PAGE) + 1;
    const bare = instantiate(pages, ARENA_PAGES);
    const pointer = align(bare.kernel.allocate(SCRATCH_BYTES + PADDING));
    this.instance = instanceOf(bare, pointer);
  }

  /** Returns a pointer to a block of memory, or undefined if there is no room for it. */
  allocate(byteLength: number): number | undefined {
    if (byteLength >= this.#refused) return undefined;
    const { kernel, scratch } = this.instance;
    try {
      const block = kernel.allocate(byteLength);
      scratch.refresh();
      this.live++;
      return block;
    } catch {
      // If the memory cannot grow, the allocator traps and leaves everything unchanged.
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

/** Makes an engine from a function that makes kernels: adds arenas, instances for one filter, limits and disposal. */
export function createEngine<Linked = unknown>(
  name: 'wasm' | 'js',
  maxPages: number,
  instantiate: Instantiate<Linked>,
): Engine<Linked> {
  const maxBytes = maxPages * PAGE - OWN_BODY_AT - PADDING;
  const arenas = new Set<Arena<Linked>>();
  // A safety net for filters that are never disposed of. The held value must not refer to the region: it would keep
  // the region alive.
  const abandoned = globalThis.FinalizationRegistry && new FinalizationRegistry<() => void>((release) => release());

  function reserveIn(arena: Arena<Linked>, byteLength: number): Region<Linked> | undefined {
    const block = arena.allocate(align(byteLength) + 2 * PADDING);
    if (block === undefined) return undefined;
    const release = (): void => {
      arena.release(block);
      if (arena.live === 0 && arenas.size > 1) arenas.delete(arena);
    };
    // Takes the region as a parameter: a variable would be in the scope that `release` keeps alive.
    const free = (disposed: Region): void => {
      abandoned?.unregister(disposed);
      release();
    };
    const region = new Region(arena.instance, align(block), byteLength, free);
    region.clear();
    abandoned?.register(region, release, region);
    return region;
  }

  function reserveShared(byteLength: number): Region<Linked> | undefined {
    for (const arena of arenas) {
      const region = reserveIn(arena, byteLength);
      if (region) return region;
    }
    const arena = new Arena(instantiate);
    const region = reserveIn(arena, byteLength);
    if (region) arenas.add(arena);
    return region;
  }

  function reserveOwn(byteLength: number, grows: boolean): Region<Linked> {
    const pagesFor = (bytes: number): number => Math.ceil((OWN_BODY_AT + align(bytes) + PADDING) / PAGE);
    const bare = instantiate(pagesFor(grows ? 0 : byteLength), pagesFor(byteLength));
    return new Region(instanceOf(bare, SCRATCH_AT), OWN_BODY_AT, byteLength);
  }

  function reserve(byteLength: number, grows = false): Region<Linked> {
    if (byteLength > maxBytes) {
      throw new RangeError(
        `a filter of ${showBytes(byteLength)} is too large: at most ${showBytes(maxBytes)} fit into one`,
      );
    }
    let cause: unknown;
    // V8 refuses to make about the 13,000th memory of a process, however small. An arena may still have room.
    const shared = grows ? [] : [reserveShared];
    for (const attempt of grows || byteLength > MAX_SHARED_BYTES ? [reserveOwn, ...shared] : shared) {
      try {
        const region = attempt(byteLength, grows);
        if (region) return region;
      } catch (error) {
        // Both engines throw a RangeError when they are out of memory.
        if (!(error instanceof RangeError)) throw error;
        cause = error;
      }
    }
    throw new RangeError(`no memory for a filter of ${showBytes(byteLength)}`, { cause });
  }

  return { name, maxBytes, reserve };
}
