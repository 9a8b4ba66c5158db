import { FreeList } from './free-list.ts';
import { HEAP_BASE } from './generated/kernel/exports.ts';
import { type Bare, type Instance, instanceOf } from './instance.ts';
import { align, Region, reach } from './region.ts';
import { PADDING, SCRATCH_BYTES } from './scratch.ts';

/** The scratch follows the static data, and the bodies of filters follow the scratch. */
export const SCRATCH_AT: number = align(HEAP_BASE);
export const BODIES_AT: number = align(SCRATCH_AT + SCRATCH_BYTES);

/**
 * A weak stand-in for an arena. Finalizers hold this, not the arena: they only run in the event loop, and would
 * otherwise keep every arena alive in a loop that makes filters and drops them.
 */
export interface Place {
  weak?: WeakRef<Arena>;
}

/** The memory of one filter in an arena. */
interface Block {
  readonly place: Place;
  readonly pointer: number;
  readonly length: number;
}

/** Releases the blocks of filters that are never disposed of. Undefined in older Workers, which have no finalizers. */
export type Finalizer = FinalizationRegistry<Block> | undefined;

/** A kernel instance whose memory small filters share. */
export class Arena {
  readonly #instance: Instance;
  readonly #finalizer: Finalizer;
  readonly #released: (arena: Arena) => void;
  readonly #free = new FreeList(BODIES_AT);
  readonly place: Place = {};
  /** The most bytes that its blocks may take. */
  #limit: number;
  /** The number of bytes that its blocks take. */
  used = 0;
  /** Whether it has grown beyond the usual size, and should be replaced once it is empty. */
  outgrown = false;

  /**
   * @param limit the most bytes that its blocks may take
   * @param released called after a block has been released
   */
  constructor(bare: Bare, limit: number, finalizer: Finalizer, released: (arena: Arena) => void) {
    this.#limit = limit;
    this.#instance = instanceOf(bare, SCRATCH_AT);
    this.#finalizer = finalizer;
    this.#released = released;
  }

  /** Reserves memory for a filter. Returns undefined if there is no room. */
  reserve(byteLength: number): Region | undefined {
    const length = align(byteLength) + PADDING;
    if (this.used + length > this.#limit) return undefined;
    const fresh = this.#instance.memory.buffer.byteLength;
    const pointer = this.#free.take(length);
    if (!reach(this.#instance, pointer + length, 2 * fresh)) {
      this.#free.release(pointer, length);
      return undefined;
    }
    const block = { place: this.place, pointer, length };
    this.used += length;
    const region = new Region(this.#instance, pointer, byteLength, (disposed) => {
      this.#finalizer?.unregister(disposed);
      this.release(block);
    });
    region.clear(fresh);
    this.#finalizer?.register(region, block, region);
    return region;
  }

  /** Reserves memory even beyond the usual size of an arena. */
  extend(byteLength: number): Region | undefined {
    const limit = this.#limit;
    // Doubled, because the engine asks the system for another memory before each extension, and a refusal takes long.
    this.#limit = Math.max(2 * limit, this.used + 2 * byteLength);
    const region = this.reserve(byteLength);
    if (region) this.outgrown = true;
    else this.#limit = limit;
    return region;
  }

  release({ pointer, length }: Block): void {
    this.#free.release(pointer, length);
    this.used -= length;
    this.#released(this);
  }
}
