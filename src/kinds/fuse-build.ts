import { FilterMemoryError } from '../checks/errors.ts';
import { requireOptions } from '../checks/options.ts';
import { requireInteger, requireSeed, showBytes } from '../checks/validate.ts';
import { DEFAULT_ERROR_RATE } from '../filters/filter-options.ts';
import { hashAll } from '../filters/hashing.ts';
import type { FuseExports } from '../kernel/generated/fuse/exports.ts';
import type { Instance } from '../kernel/instance.ts';
import type { Engine, Region, RegionWith } from '../kernel/region.ts';
import { MAX_ATTEMPTS } from './fuse-file.ts';
import {
  cellsIn,
  type FuseLayout,
  fuseLayout,
  MAX_BITS,
  optimalFuseCells,
  optimalFuseFingerprintBits,
} from './fuse-sizing.ts';

/** The bytes that building takes per cell, besides the cell itself. */
const WORK_BYTES = 13;

/** The numbers that tell which cells are a key's. */
interface Attempt extends FuseLayout {
  /** The number of the attempt that succeeded, from 0. */
  readonly attempt: number;
}

/** Filled cells. */
export interface Filled extends Attempt {
  /** A view of the cells, valid until the next filter is built. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Filled cells in memory of their own. */
interface Built extends Attempt {
  readonly region: Region;
}

/**
 * Reads the options that all fuse filters have.
 *
 * @param more the names of further options of the kind
 */
export function readFuseOptions(
  options: unknown,
  { seed: only }: Pick<Engine, 'seed'>,
  more: readonly string[] = [],
): { bits: number; seed: number } {
  const given = requireOptions(options, '{ errorRate: 0.01 }', ['errorRate', 'fingerprintBits', 'seed', ...more]);
  const { errorRate, fingerprintBits: bits, seed = only ?? 0 } = given as Record<string, number | undefined>;
  if (bits !== undefined && errorRate !== undefined) {
    throw new TypeError('options must give errorRate or fingerprintBits, got both');
  }
  return {
    bits:
      bits === undefined
        ? optimalFuseFingerprintBits(errorRate ?? DEFAULT_ERROR_RATE)
        : requireInteger('fingerprintBits', bits, 1, MAX_BITS),
    seed: requireSeed(seed, only),
  };
}

/** Writes mixed hashes, of two words each, over the first `count` hashes in the scratch. */
export function mixHashes({ kernel, scratch }: Instance, count: number): void {
  (kernel as object as FuseExports).fuse_mix(scratch.hashes, count);
}

/**
 * Sorts mixed hashes, removes duplicates, and returns those that are left: a view of the same memory. Cells of hashes
 * that are near one another are near, too, so sorting also lets the first attempt pass through memory in order.
 */
export function sortDistinct(hashes: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  new BigUint64Array(hashes.buffer, hashes.byteOffset, hashes.length / 2).sort();
  let end = 0;
  // In 32-bit words, because reading 64-bit integers would make an object of each.
  for (let at = 0; at < hashes.length; at += 2) {
    if (end > 0 && hashes[at] === hashes[end - 2] && hashes[at + 1] === hashes[end - 1]) continue;
    hashes[end++] = hashes[at] as number;
    hashes[end++] = hashes[at + 1] as number;
  }
  return hashes.subarray(0, end);
}

/** Returns the mixed hashes of all keys, each of two words, sorted and without duplicates. */
export function distinctHashes(engine: Engine, keys: unknown, seed: number): Uint32Array {
  return sortDistinct(new Uint32Array(hashAll(engine, keys, seed, 8, mixHashes).buffer));
}

/** The layout of an attempt. After each four attempts, it gets a sixteenth more segments. */
function layoutOf(count: number, attempt: number): FuseLayout {
  const { exponent, segments } = fuseLayout(count);
  return { exponent, segments: segments + (attempt >> 2) * Math.max(1, segments >> 4) };
}

/** Fills the body, which follows the working memory in the region. Returns whether the attempt succeeded. */
function fill(
  { instance, pointer }: RegionWith<FuseExports>,
  hashes: Uint32Array,
  { exponent, segments }: FuseLayout,
  attempt: number,
  bodyAt: number,
  bits: number,
): boolean {
  const { kernel, scratch } = instance;
  const most = scratch.keyWords.length;
  for (let at = 0; at < hashes.length; at += most) {
    const some = hashes.subarray(at, at + most);
    scratch.keyWords.set(some);
    if (!kernel.fuse_count(pointer, exponent, segments, attempt, scratch.keys, some.length / 2)) return false;
  }
  return kernel.fuse_build(pointer, exponent, segments, hashes.length / 2, pointer + bodyAt, bits) === 1;
}

/** Builds the cells of filters, one after another. It keeps its memory from one to the next. */
export class FuseBuilder {
  readonly #engine: Engine;
  readonly #bits: number;
  readonly #spare: number;
  #work: RegionWith<FuseExports> | undefined;

  /**
   * @param bits the number of bits per cell
   * @param spare the share by which the memory exceeds what the filter takes for which it is reserved, so that a filter
   *   that is a little larger needs no other memory
   */
  constructor(engine: Engine, bits: number, spare = 0) {
    this.#engine = engine;
    this.#bits = bits;
    this.#spare = spare;
  }

  /** Makes the memory hold `length` zeros from its beginning on. */
  #reserve(length: number, count: number): RegionWith<FuseExports> {
    const engine = this.#engine;
    const work = this.#work;
    if (work && work.byteLength >= length) {
      work.clear(work.pointer + length);
      return work;
    }
    work?.dispose();
    this.#work = undefined;
    requireRoom(engine, length, count);
    const room = Math.min(engine.maxBytes, Math.ceil(length * (1 + this.#spare)));
    this.#work = engine.reserve(room) as RegionWith<FuseExports>;
    return this.#work;
  }

  /**
   * Makes the cells that hold these hashes.
   *
   * @param hashes mixed hashes, without duplicates
   */
  build(hashes: Uint32Array): Filled {
    const count = hashes.length / 2;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const layout = layoutOf(count, attempt);
      const cells = cellsIn(layout);
      const bodyAt = WORK_BYTES * cells;
      const length = bodyAt + bytesOf(cells, this.#bits);
      const work = this.#reserve(length, count);
      if (fill(work, hashes, layout, attempt, bodyAt, this.#bits)) {
        return { ...layout, attempt, body: work.view(bodyAt, length) };
      }
    }
    throw new Error(`no filter of these keys could be built in ${MAX_ATTEMPTS} attempts: choose another seed`);
  }

  /** Copies cells that were built last to memory of their own, of `byteLength` bytes. */
  copy({ body }: Filled, byteLength: number): Region {
    const { byteOffset, length } = body;
    const region = this.#engine.reserve(byteLength);
    // Taken anew, because reserving may replace the buffer.
    const work = this.#work as Region;
    region.bytes.set(work.view(byteOffset - work.pointer, byteOffset - work.pointer + length));
    return region;
  }

  dispose(): void {
    this.#work?.dispose();
  }
}

/**
 * Makes the cells that hold these hashes.
 *
 * @param hashes mixed hashes, without duplicates
 * @param bits the number of bits per cell
 */
export function buildCells(engine: Engine, hashes: Uint32Array, bits: number): Built {
  const builder = new FuseBuilder(engine, bits);
  try {
    const filled = builder.build(hashes);
    const { exponent, segments, attempt, body } = filled;
    return { exponent, segments, attempt, region: builder.copy(filled, body.length) };
  } finally {
    builder.dispose();
  }
}

/** The bytes that `cells` cells take. */
function bytesOf(cells: number, bits: number): number {
  return Math.ceil((cells * bits) / 8);
}

/**
 * The cells of a filter of `count` distinct keys and their bytes. Throws if one filter cannot be built of that many
 * keys.
 */
export function sizeOf(engine: Engine, count: number, bits: number): { cellCount: number; byteLength: number } {
  const cellCount = optimalFuseCells(count);
  const byteLength = bytesOf(cellCount, bits);
  requireRoom(engine, WORK_BYTES * cellCount + byteLength, count);
  return { cellCount, byteLength };
}

/** Throws unless the engine can have the memory that building takes. */
function requireRoom(engine: Engine, length: number, count: number): void {
  if (length <= engine.maxBytes) return;
  const [needed, most] = [length, engine.maxBytes].map(showBytes);
  throw new FilterMemoryError(
    `${count} keys are too many: building their filter takes ${needed}, and at most ${most} can be had`,
    length,
  );
}
