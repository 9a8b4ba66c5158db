import { FilterMemoryError } from '../checks/errors.ts';
import { showBytes } from '../checks/validate.ts';
import { hashAll } from '../filters/hashing.ts';
import type { FuseExports } from '../kernel/generated/fuse/exports.ts';
import type { Engine, Region, RegionWith } from '../kernel/region.ts';
import { MAX_ATTEMPTS } from './fuse-file.ts';
import { cellsIn, type FuseLayout, fuseLayout, optimalFuseCells } from './fuse-sizing.ts';

/** The bytes that building takes per cell, besides the cell itself. */
const WORK_BYTES = 13;

/** Filled cells, and the numbers that tell which of them are a key's. */
interface Built extends FuseLayout {
  /** The number of the attempt that succeeded, from 0. */
  readonly attempt: number;
  readonly region: Region;
}

/**
 * Returns the mixed hashes of all keys, each of two words, sorted and without duplicates. Cells of hashes that are near
 * one another are near, too, so sorting also lets the first attempt pass through memory in order.
 */
export function distinctHashes(engine: Engine, keys: unknown, seed: number): Uint32Array {
  const hashes = hashAll(engine, keys, seed, 8, ({ kernel, scratch }, count) =>
    (kernel as object as FuseExports).fuse_mix(scratch.hashes, count),
  );
  // In 32-bit words, because reading 64-bit integers would make an object of each.
  const words = new Uint32Array(new BigUint64Array(hashes.buffer).sort().buffer);
  let end = 0;
  for (let at = 0; at < words.length; at += 2) {
    if (end > 0 && words[at] === words[end - 2] && words[at + 1] === words[end - 1]) continue;
    words[end++] = words[at] as number;
    words[end++] = words[at + 1] as number;
  }
  return words.subarray(0, end);
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

/**
 * Makes the cells that hold these hashes.
 *
 * @param hashes mixed hashes, without duplicates
 * @param bits the number of bits per cell
 */
export function buildCells(engine: Engine, hashes: Uint32Array, bits: number): Built {
  let work: RegionWith<FuseExports> | undefined;
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const layout = layoutOf(hashes.length / 2, attempt);
      const cells = cellsIn(layout);
      const bodyAt = WORK_BYTES * cells;
      const bodyLength = bytesOf(cells, bits);
      const length = bodyAt + bodyLength;
      if (work?.byteLength === length) {
        work.clear();
      } else {
        work?.dispose();
        requireRoom(engine, length, hashes.length / 2);
        work = engine.reserve(length) as RegionWith<FuseExports>;
      }
      if (!fill(work, hashes, layout, attempt, bodyAt, bits)) continue;
      const region = engine.reserve(bodyLength);
      // Both views are taken after reserving, which may replace the buffer.
      region.bytes.set(work.bytes.subarray(bodyAt, length));
      return { ...layout, attempt, region };
    }
  } finally {
    work?.dispose();
  }
  throw new Error(`no filter of these keys could be built in ${MAX_ATTEMPTS} attempts: choose another seed`);
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
