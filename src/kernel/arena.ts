import { type Bare, type Instance, instanceOf } from './kernel.ts';
import { align, Region } from './region.ts';
import { PADDING, SCRATCH_BYTES } from './scratch.ts';

/**
 * Stands for an arena in what the finalizer holds, which must not keep one alive: it runs only when the program returns
 * to the event loop, and a loop that makes filters and drops them would keep every arena until then.
 */
export interface Place<Linked> {
  weak?: WeakRef<Arena<Linked>>;
}

/** A block of an arena's memory. */
interface Block<Linked> {
  readonly place: Place<Linked>;
  readonly pointer: number;
  readonly length: number;
}

/** Releases the blocks of filters that are never disposed of. Older Workers have no finalizers. */
export type Finalizer<Linked> = FinalizationRegistry<Block<Linked>> | undefined;

/** An instance that small filters share. */
export class Arena<Linked> {
  readonly #instance: Instance<Linked>;
  readonly #finalizer: Finalizer<Linked>;
  readonly #released: (arena: Arena<Linked>) => void;
  readonly place: Place<Linked> = {};
  /** How many bytes its blocks may take. */
  #limit: number;
  /** How many bytes its blocks take. */
  used = 0;
  /** Whether it was extended, and not yet replaced. */
  outgrown = false;

  /**
   * @param limit how many bytes its blocks may take
   * @param released called after a block has been released
   */
  constructor(
    bare: Bare<Linked>,
    limit: number,
    finalizer: Finalizer<Linked>,
    released: (arena: Arena<Linked>) => void,
  ) {
    this.#limit = limit;
    const pointer = align(bare.kernel.allocate(SCRATCH_BYTES + PADDING));
    this.#instance = instanceOf(bare, pointer);
    this.#finalizer = finalizer;
    this.#released = released;
  }

  /** Reserves memory for a filter, or returns undefined if there is no room for it. */
  reserve(byteLength: number): Region<Linked> | undefined {
    const length = align(byteLength) + 2 * PADDING;
    if (this.used + length > this.#limit) return undefined;
    const fresh = this.#instance.memory.buffer.byteLength;
    const pointer = this.#allocate(length);
    if (pointer === undefined) return undefined;
    const block = { place: this.place, pointer, length };
    this.used += length;
    const region = new Region(this.#instance, align(pointer), byteLength, (disposed) => {
      this.#finalizer?.unregister(disposed);
      this.release(block);
    });
    region.clear(fresh);
    this.#finalizer?.register(region, block, region);
    return region;
  }

  /** Reserves memory even beyond the usual size of an arena. */
  extend(byteLength: number): Region<Linked> | undefined {
    const limit = this.#limit;
    // Doubled, because to be refused another memory takes the system long.
    this.#limit = Math.max(2 * limit, this.used + 2 * byteLength);
    const region = this.reserve(byteLength);
    if (region) this.outgrown = true;
    else this.#limit = limit;
    return region;
  }

  #allocate(length: number): number | undefined {
    const { kernel, scratch } = this.#instance;
    try {
      return kernel.allocate(length);
    } catch {
      // If the memory cannot grow, the allocator traps and leaves everything unchanged.
      return undefined;
    } finally {
      scratch.refresh();
    }
  }

  release({ pointer, length }: Block<Linked>): void {
    this.#instance.kernel.release(pointer);
    this.used -= length;
    this.#released(this);
  }
}
