import { showBytes } from '../validate.ts';
import { Arena, type Finalizer, type Place } from './arena.ts';
import { HEAP_BASE } from './generated/kernel/exports.ts';
import { type Bare, instanceOf } from './kernel.ts';
import { align, type Engine, PAGE, Region, type Sharing } from './region.ts';
import { PADDING, SCRATCH_BYTES } from './scratch.ts';

/** The largest size of an arena where the system does not allow for more, because it sets that much aside at once. */
const SMALL_ARENA_PAGES: number = 2 ** 26 / PAGE;

const SCRATCH_AT: number = align(HEAP_BASE);
const OWN_BODY_AT: number = align(SCRATCH_AT + SCRATCH_BYTES);

/**
 * Makes a kernel over a memory of `pages` pages that may grow to `maximum` pages.
 *
 * @throws RangeError if the system has no more memory
 */
export type Instantiate<Linked = unknown> = (pages: number, maximum: number) => Bare<Linked>;

/** Does the same asynchronously. */
export type InstantiateLater<Linked> = (...sizes: Parameters<Instantiate>) => Promise<Bare<Linked>>;

/** Makes an engine from a function that makes kernels: adds arenas, instances for one filter, limits and disposal. */
export function createEngine<Linked = unknown>(
  name: 'wasm' | 'js',
  maxPages: number,
  sharing: Sharing,
  instantiate: Instantiate<Linked>,
  instantiateLater?: InstantiateLater<Linked>,
): Engine<Linked> {
  const maxBytes = maxPages * PAGE - OWN_BODY_AT - PADDING;
  /** Those that may have room. Only their filters keep the others alive. */
  const arenas = new Map<Place<Linked>, Arena<Linked>>();
  let preparing: Promise<Bare<Linked>> | undefined;
  /** Why `prepare` failed. Chrome before 115 would give another reason when it is asked again synchronously. */
  let refusal: unknown;

  const finalizer: Finalizer<Linked> =
    globalThis.FinalizationRegistry &&
    new FinalizationRegistry((block) => {
      (arenas.get(block.place) ?? block.place.weak?.deref())?.release(block);
    });
  /**
   * Whether the finalizer may get a weak reference to another arena. A new WeakRef keeps what it refers to until the
   * program returns to the event loop, so there is only one for each turn.
   */
  let mayRefer = finalizer !== undefined;

  function keep(arena: Arena<Linked>): void {
    arenas.set(arena.place, arena);
  }

  /** From now on, only its filters keep the arena alive. */
  function leave(arena: Arena<Linked>): void {
    const { place } = arena;
    arenas.delete(place);
    if (!mayRefer || place.weak) return;
    place.weak = new WeakRef(arena);
    try {
      setTimeout(() => (mayRefer = true));
      mayRefer = false;
    } catch {
      // Cloudflare Workers have no timers while they start.
    }
  }

  function released(arena: Arena<Linked>): void {
    keep(arena);
    if (arena.used > 0) return;
    if (arenas.size === 1) {
      // Memory never shrinks, so a large arena is replaced. This is tried once: to be refused a memory takes long.
      if (!arena.outgrown) return;
      arena.outgrown = false;
      try {
        keep(openArena());
      } catch {
        return;
      }
    }
    leave(arena);
  }

  function arenaOf(bare: Bare<Linked>): Arena<Linked> {
    return new Arena(bare, sharing.bytes, finalizer, released);
  }

  function openArena(): Arena<Linked> {
    try {
      return arenaOf(instantiate(sharing.pages, maxPages));
    } catch {
      return arenaOf(instantiate(sharing.pages, SMALL_ARENA_PAGES));
    }
  }

  async function prepare(): Promise<void> {
    if (arenas.size > 0 || !instantiateLater) return;
    try {
      preparing ??= instantiateLater(sharing.pages, maxPages);
      const bare = await preparing;
      if (arenas.size === 0) keep(arenaOf(bare));
    } catch (error) {
      // Without memory for an arena of this size, the first filter tries a smaller one.
      if (error instanceof RangeError) return;
      refusal = error;
      throw error;
    } finally {
      preparing = undefined;
    }
  }

  function find(reserve: (arena: Arena<Linked>) => Region<Linked> | undefined): Region<Linked> | undefined {
    for (const arena of arenas.values()) {
      const region = reserve(arena);
      if (region) return region;
    }
    return undefined;
  }

  function reserveShared(byteLength: number): Region<Linked> | undefined {
    const region = find((arena) => arena.reserve(byteLength));
    if (region) return region;
    let arena: Arena<Linked>;
    try {
      arena = openArena();
    } catch (error) {
      const extended = find((arena) => arena.extend(byteLength));
      if (extended) return extended;
      throw error;
    }
    // The others have no room for a filter of this size.
    for (const other of arenas.values()) leave(other);
    keep(arena);
    return arena.reserve(byteLength) ?? arena.extend(byteLength);
  }

  function reserveOwn(byteLength: number, grows: boolean): Region<Linked> {
    // If no more memories are to be had later, filters of any size go on in an arena, so there must be one.
    if (arenas.size === 0) keep(openArena());
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
    // The number of memories is limited, to 125 in a page of Chromium and its workers. An arena can still grow.
    for (const attempt of grows || byteLength > sharing.most ? [reserveOwn, reserveShared] : [reserveShared]) {
      try {
        const region = attempt(byteLength, grows);
        if (region) return region;
      } catch (error) {
        cause = error;
      }
    }
    // Where there is an arena, the engine runs, and all it can lack is memory.
    if (arenas.size === 0 && !(cause instanceof RangeError)) throw refusal ?? cause;
    throw new RangeError(`no memory for a filter of ${showBytes(byteLength)}`, { cause });
  }

  return { name, maxBytes, sharing, reserve, prepare };
}
