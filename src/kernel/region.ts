import type { Instance, KernelExports } from './kernel.ts';
import { CHUNK_BYTES, PADDING } from './scratch.ts';

/** The size of a memory page in bytes. */
export const PAGE = 65536;

/** Rounds up to a multiple of 64: blocks must not straddle cache lines, and the allocator aligns only to 16. */
export function align(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

/** Which filters share a memory. A larger one has its own, which returns to the system with it. */
export interface Sharing {
  /** The size of the largest, in bytes. */
  readonly most: number;
  /** How many bytes of one memory they may take together, unless the system refuses another. */
  readonly bytes: number;
  /** The first size of the memory, in pages. The allocator doubles it as needed. */
  readonly pages: number;
}

/** Runs the kernel, alone or with a module linked to it, and reserves memory for filters. */
export interface Engine<Linked = unknown> {
  readonly name: 'wasm' | 'js';
  /** The size of the largest region that it can reserve, in bytes. */
  readonly maxBytes: number;
  readonly sharing: Sharing;
  /**
   * Reserves zeroed memory for a filter. With `grows`, the region starts without memory, and `Region.commit` adds it.
   *
   * @throws RangeError if `byteLength` exceeds `maxBytes`, or if the system has no more memory
   */
  reserve(byteLength: number, grows?: boolean): Region<Linked>;
  /** Makes the engine ready for `reserve`, asynchronously. Rejects where WebAssembly is refused. */
  prepare(): Promise<void>;
}

/** The memory of one filter: zeroed, aligned to 64 bytes, and a multiple of 64 bytes long. */
export class Region<Linked = unknown> {
  #instance: Instance<Linked> | undefined;
  readonly #free: ((region: Region) => void) | undefined;
  readonly pointer: number;
  /** The size that was asked for, in bytes. */
  readonly byteLength: number;
  /** The size with padding, in bytes. The padding is zero and must stay zero. */
  readonly paddedLength: number;

  constructor(instance: Instance<Linked>, pointer: number, byteLength: number, free?: (region: Region) => void) {
    this.#instance = instance;
    this.pointer = pointer;
    this.byteLength = byteLength;
    this.paddedLength = align(byteLength);
    this.#free = free;
  }

  /** The kernel over this memory. Throws a TypeError after `dispose`. */
  get instance(): Instance<Linked> {
    if (this.#instance === undefined) throw new TypeError('the filter was used after dispose()');
    return this.#instance;
  }

  get disposed(): boolean {
    return this.#instance === undefined;
  }

  /** A view of the region with its padding, valid until anything is allocated. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.instance.memory.buffer, this.pointer, this.paddedLength);
  }

  /** Makes the first `byteLength` bytes usable. Does nothing unless the region was reserved with `grows`. */
  commit(byteLength: number): void {
    const { memory, scratch } = this.instance;
    const missing = (length: number): number => this.pointer + align(length) + PADDING - memory.buffer.byteLength;
    if (missing(byteLength) <= 0) return;
    // By an eighth more: growth may copy, and V8 counts each new buffer as newly allocated memory, so it collects
    // garbage.
    const more = Math.min(this.byteLength, Math.ceil(byteLength * 1.125));
    if (memory.grow(Math.ceil(missing(more) / PAGE)) < 0) throw new RangeError('no memory');
    scratch.refresh();
  }

  /** Fills the region with zeros, up to the address `end`, from which on it is known to be zero. */
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

/** Copies a region into newly reserved memory. */
export function copyOf<Linked>(region: Region<Linked>, engine: Engine<Linked>): Region<Linked> {
  const copy = engine.reserve(region.byteLength);
  // Take both views after reserving, which may replace the buffer.
  copy.bytes.set(region.bytes);
  return copy;
}

/** A kernel function on two areas of `length` bytes each. */
export type PairFunction = (target: number, source: number, length: number) => unknown;

/**
 * Combines the source into the target, or compares them. A source in another memory is copied to the target's scratch,
 * a piece at a time.
 *
 * @returns false if the function compares and the two differ
 */
export function combine<Linked>(
  target: Region<Linked>,
  source: Region,
  of: (kernel: KernelExports & Linked) => PairFunction,
): boolean {
  const { instance, pointer, paddedLength } = target;
  const { kernel, memory, scratch } = instance;
  const visit = of(kernel);
  if (memory === source.instance.memory) return visit(pointer, source.pointer, paddedLength) !== 0;
  const bytes = source.bytes;
  for (let at = 0; at < paddedLength; at += CHUNK_BYTES) {
    const piece = bytes.subarray(at, at + CHUNK_BYTES);
    scratch.keyBytes.set(piece);
    if (visit(pointer + at, scratch.keys, piece.length) === 0) return false;
  }
  return true;
}
