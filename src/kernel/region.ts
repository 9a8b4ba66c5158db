import type { Instance, KernelExports } from './kernel.ts';
import { CHUNK_BYTES, PADDING } from './scratch.ts';

/** The size of a memory's page in bytes. */
export const PAGE = 65536;

/** The next multiple of 64: blocks must not straddle cache lines, and the allocator aligns to 16 only. */
export function align(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

/** A way to run the kernel, alone or with a module linked to it. */
export interface Engine<Linked = unknown> {
  readonly name: 'wasm' | 'js';
  /** The size of the largest region that it can reserve. */
  readonly maxBytes: number;
  /**
   * Reserves zeroed memory for a filter. A region that `grows` begins with none: `Region.commit` adds it.
   *
   * @throws RangeError beyond `maxBytes`, or where the system has no more memory
   */
  reserve(byteLength: number, grows?: boolean): Region<Linked>;
}

/** The memory of one filter: zeroed, aligned to 64 bytes, and a multiple of 64 bytes long. */
export class Region<Linked = unknown> {
  #instance: Instance<Linked> | undefined;
  readonly #free: ((region: Region) => void) | undefined;
  readonly pointer: number;
  /** The size that was asked for. */
  readonly byteLength: number;
  /** The size with padding, whose bytes are zero and must stay zero. */
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

  /** A view of the padded length, valid until anything is allocated. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.instance.memory.buffer, this.pointer, this.paddedLength);
  }

  /** Makes the first bytes usable. Only a region that was reserved to grow has fewer than all. */
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

/** A copy in memory of its own. */
export function copyOf<Linked>(region: Region<Linked>, engine: Engine<Linked>): Region<Linked> {
  const copy = engine.reserve(region.byteLength);
  // The reservation may move the memory, so both views are taken after it.
  copy.bytes.set(region.bytes);
  return copy;
}

/** A kernel function over two places of so many bytes. */
export type PairFunction = (target: number, source: number, length: number) => unknown;

/**
 * Combines the target with the source in place, or compares them. Bodies in two memories meet in the target's scratch,
 * a piece at a time.
 *
 * @returns false if they were compared and differ
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
