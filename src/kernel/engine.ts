import { FilterMemoryError } from '../util/checks/errors.ts';
import { showBytes } from '../util/checks/validate.ts';
import { Arena, BODIES_AT, type Finalizer, type Place, SCRATCH_AT } from './arena.ts';
import { type Bare, instanceOf } from './instance.ts';
import { align, type Engine, PAGE, Region, type Sharing } from './region.ts';
import { PADDING } from './scratch.ts';

/** The largest size of an arena on systems that refuse more, because they set the largest size aside at once. */
const SMALL_ARENA_PAGES: number = 2 ** 26 / PAGE;

/**
 * Makes a kernel over a memory of `pages` pages that may grow to `maximum` pages.
 *
 * @throws RangeError if the system has no more memory
 */
type Instantiate = (pages: number, maximum: number) => Bare;

/** Makes an instance as `Instantiate` does, but asynchronously. */
type InstantiateLater = (...sizes: Parameters<Instantiate>) => Promise<Bare>;

/** Makes an engine from a function that makes kernels: adds arenas, instances for one filter, limits and disposal. */
export function createEngine(
  name: 'wasm' | 'js',
  maxPages: number,
  sharing: Sharing,
  instantiate: Instantiate,
  instantiateLater?: InstantiateLater,
): Engine {
  const maxBytes = maxPages * PAGE - BODIES_AT - PADDING;
  /** The arenas that may have room. The others are kept alive by their filters only. */
  const arenas = new Map<Place, Arena>();
  let preparing: Promise<Bare> | undefined;
  /** Why `prepare` failed. A later synchronous attempt would give another reason in Chrome before 115. */
  let refusal: unknown;

  const finalizer: Finalizer =
    globalThis.FinalizationRegistry &&
    new FinalizationRegistry((block) => {
      (arenas.get(block.place) ?? block.place.weak?.deref())?.release(block);
    });
  /**
   * Whether another weak reference may be made in this turn of the event loop. A new WeakRef keeps its target alive
   * until the turn ends, so there is one at most.
   */
  let mayRefer = finalizer !== undefined;

  function keep(arena: Arena): void {
    arenas.set(arena.place, arena);
  }

  /** Drops the engine's reference, so that only its filters keep the arena alive. */
  function leave(arena: Arena): void {
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

  function released(arena: Arena): void {
    keep(arena);
    if (arena.used > 0) return;
    if (arenas.size === 1) {
      // Memory never shrinks, so a large arena is replaced. This is tried once, because a refusal takes the system
      // long.
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

  function arenaOf(bare: Bare): Arena {
    return new Arena(bare, sharing.bytes, finalizer, released);
  }

  function openArena(): Arena {
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
      // There is no memory for an arena of this size: the first filter will try a smaller one.
      if (error instanceof RangeError) return;
      refusal = error;
      throw error;
    } finally {
      preparing = undefined;
    }
  }

  function find(reserve: (arena: Arena) => Region | undefined): Region | undefined {
    for (const arena of arenas.values()) {
      const region = reserve(arena);
      if (region) return region;
    }
    return undefined;
  }

  function reserveShared(byteLength: number): Region | undefined {
    const region = find((arena) => arena.reserve(byteLength));
    if (region) return region;
    let arena: Arena;
    try {
      arena = openArena();
    } catch (error) {
      const extended = find((arena) => arena.extend(byteLength));
      if (extended) return extended;
      throw error;
    }
    // No other arena has room for a filter of this size.
    for (const other of arenas.values()) leave(other);
    keep(arena);
    return arena.reserve(byteLength) ?? arena.extend(byteLength);
  }

  function reserveOwn(byteLength: number, grows: boolean): Region {
    // Keep one arena: if the system later refuses memories, large filters fall back to it.
    if (arenas.size === 0) keep(openArena());
    const pagesFor = (bytes: number): number => Math.ceil((BODIES_AT + align(bytes) + PADDING) / PAGE);
    const bare = instantiate(pagesFor(grows ? 0 : byteLength), pagesFor(byteLength));
    return new Region(instanceOf(bare, SCRATCH_AT), BODIES_AT, byteLength);
  }

  function reserve(byteLength: number, grows = false): Region {
    if (byteLength > maxBytes) {
      throw new FilterMemoryError(
        `a filter of ${showBytes(byteLength)} is too large: at most ${showBytes(maxBytes)} fit into one`,
        byteLength,
      );
    }
    let cause: unknown;
    // The number of memories is limited: to 125 for a page of Chromium and its workers. If the limit is reached, an
    // arena can still grow.
    for (const attempt of grows || byteLength > sharing.most ? [reserveOwn, reserveShared] : [reserveShared]) {
      try {
        const region = attempt(byteLength, grows);
        if (region) return region;
      } catch (error) {
        cause = error;
      }
    }
    // If there is an arena, the engine works, and the failure can only be a lack of memory.
    if (arenas.size === 0 && !(cause instanceof RangeError)) throw refusal ?? cause;
    throw new FilterMemoryError(`no memory for a filter of ${showBytes(byteLength)}`, byteLength, { cause });
  }

  return { name, maxBytes, sharing, reserve, prepare };
}
