import { FilterMemoryError } from '../util/checks/errors.ts';
import type { Instance, KernelExports } from './instance.ts';
import { CHUNK_BYTES, PADDING } from './scratch.ts';

/** The size of a memory page in bytes. */
export const PAGE = 65536;

/** Rounds up to a multiple of 64: blocks must not straddle cache lines. */
export function align(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

/** Which filters share a memory. Larger filters have a memory of their own, which is freed with the filter. */
export interface Sharing {
  /** The size of the largest filter that shares a memory, in bytes. */
  readonly most: number;
  /** The most bytes of filters in one memory. It takes more only if the system refuses to give another memory. */
  readonly bytes: number;
  /** The initial size of the memory, in pages. It is doubled as needed. */
  readonly pages: number;
}

/** Runs the kernel, alone or with a module linked to it, and reserves memory for filters. */
export interface Engine {
  readonly name: 'wasm' | 'js';
  /** The size of the largest possible region, in bytes. */
  readonly maxBytes: number;
  readonly sharing: Sharing;
  /** The module that is linked to the kernel, if there is one. */
  readonly linkedModule?: unknown;
  /** The seed of all its filters, which stands for a secret; undefined if each filter has a seed of its own. */
  readonly seed?: number;
  /**
   * Reserves zeroed memory for a filter. With `grows`, the region starts without memory, and `Region.commit` adds it.
   *
   * @throws FilterMemoryError if `byteLength` exceeds `maxBytes`, or if the system has no more memory
   */
  reserve(byteLength: number, grows?: boolean): Region;
  /** Makes the engine ready for `reserve`, asynchronously. Rejects where WebAssembly is refused. */
  prepare(): Promise<void>;
}

/**
 * Makes the memory of an instance reach up to the address `end`. Growing may copy it, so it grows up to `wanted` if the
 * system allows that. Returns whether it reaches `end`.
 */
export function reach({ memory, scratch }: Instance, end: number, wanted: number): boolean {
  const { byteLength } = memory.buffer;
  if (end <= byteLength) return true;
  for (const target of new Set([Math.max(end, wanted), end])) {
    try {
      memory.grow(Math.ceil((target - byteLength) / PAGE));
    } catch {}
    if (memory.buffer.byteLength < end) continue;
    scratch.refresh();
    return true;
  }
  return false;
}

/** The memory of one filter: zeroed, aligned to 64 bytes, and a multiple of 64 bytes long. */
export class Region {
  #instance: Instance | undefined;
  readonly #free: ((region: Region) => void) | undefined;
  readonly pointer: number;
  /** The size without padding, in bytes. */
  readonly byteLength: number;
  /** The size with padding, in bytes. The padding is zero and must stay zero. */
  readonly paddedLength: number;

  constructor(instance: Instance, pointer: number, byteLength: number, free?: (region: Region) => void) {
    this.#instance = instance;
    this.pointer = pointer;
    this.byteLength = byteLength;
    this.paddedLength = align(byteLength);
    this.#free = free;
  }

  /** The kernel over this memory. Throws a TypeError after `dispose`. */
  get instance(): Instance {
    if (this.#instance === undefined) throw new TypeError('the filter was used after dispose()');
    return this.#instance;
  }

  get disposed(): boolean {
    return this.#instance === undefined;
  }

  /** A view of the region with its padding, valid until anything is allocated. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.view(0, this.paddedLength);
  }

  /** A view of some bytes of the region, valid until anything is allocated. */
  view(from: number, to: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.instance.memory.buffer, this.pointer + from, to - from);
  }

  /** Makes the first `byteLength` bytes usable. Does nothing unless the region was reserved with `grows`. */
  commit(byteLength: number): void {
    const endOf = (length: number): number => this.pointer + align(length) + PADDING;
    // An eighth more: V8 counts each new buffer as new memory, and collects garbage.
    const wanted = endOf(Math.min(this.byteLength, Math.ceil(byteLength * 1.125)));
    if (!reach(this.instance, endOf(byteLength), wanted)) throw new FilterMemoryError('no memory', byteLength);
  }

  /** Fills the region with zeros, up to the address `end`; memory from there on must be zero already. */
  clear(end = Infinity): void {
    const length = Math.min(this.paddedLength, Math.max(0, end - this.pointer));
    this.instance.kernel.bits_fill(this.pointer, 0, length);
  }

  dispose(): void {
    if (this.#instance === undefined) return;
    this.#instance = undefined;
    this.#free?.(this);
  }
}

/** A region on an engine with a linked module, whose functions are `Exports`. */
export type RegionWith<Exports> = Region & { readonly instance: { readonly kernel: KernelExports & Exports } };

/** Copies a region into newly reserved memory. */
export function copyOf(region: Region, engine: Engine): Region {
  const copy = engine.reserve(region.byteLength);
  // Both views are taken after reserving, which may replace the buffer.
  copy.bytes.set(region.bytes);
  return copy;
}

/** A kernel function on two ranges of `length` bytes each. */
export type PairFunction = (target: number, source: number, length: number) => unknown;

/**
 * Combines the source into the target, or compares them. A source in another memory is copied to the target's scratch,
 * a part at a time.
 *
 * @returns false if the function compares and the two differ
 */
export function combine(target: Region, source: Region, of: (kernel: KernelExports) => PairFunction): boolean {
  const { instance, pointer, paddedLength } = target;
  const { kernel, memory, scratch } = instance;
  const visit = of(kernel);
  if (memory === source.instance.memory) return visit(pointer, source.pointer, paddedLength) !== 0;
  const bytes = source.bytes;
  for (let at = 0; at < paddedLength; at += CHUNK_BYTES) {
    const part = bytes.subarray(at, at + CHUNK_BYTES);
    scratch.keyBytes.set(part);
    if (visit(pointer + at, scratch.keys, part.length) === 0) return false;
  }
  return true;
}
