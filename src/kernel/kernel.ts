import type { KernelExports } from './generated/exports.ts';
import type { Region } from './region.ts';
import type { Scratch } from './scratch.ts';

export type { KernelExports };

/** A memory as both engines have it. Its buffer is another one after growth. */
export interface Memory {
  readonly buffer: ArrayBuffer;
  /** Grows by so many pages of 64 KiB; throws, or returns −1, where it cannot. */
  grow(pages: number): number;
}

/** What an engine makes: a memory, and the kernel's functions over it. */
export interface Instantiated {
  readonly kernel: KernelExports;
  readonly memory: Memory;
  /** Whether the kernel reads the units of a string in less time than it takes to write them into memory. */
  readonly readsText: boolean;
}

/** The same, with the place through which keys come in. */
export interface Instance extends Instantiated {
  readonly scratch: Scratch;
}

/** One of the two ways to run the kernel. */
export interface Engine {
  readonly name: 'wasm' | 'js';
  /** The largest region that it can reserve. */
  readonly maxBytes: number;
  /**
   * Zeroed memory for a filter. One that `grows` has none at first: `Region.commit` adds it.
   *
   * @throws RangeError beyond `maxBytes`, or where the system has no more memory
   */
  reserve(byteLength: number, grows?: boolean): Region;
}
