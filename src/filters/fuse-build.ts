import type { FuseExports } from '../kernel/generated/fuse/exports.ts';
import type { Engine, Region } from '../kernel/region.ts';
import { cellsIn, type FuseLayout, fuseLayout } from '../sizing-fuse.ts';
import { showBytes } from '../validate.ts';
import { hashAll } from './hash-all.ts';

export const MAX_ATTEMPTS = 64;
/** What building takes per cell, besides the cell itself. */
const WORK_BYTES = 13;

/** Filled cells, and what is needed to find a key's cells among them. */
export interface Built extends FuseLayout {
  /** The number of the attempt that succeeded, from 0. */
  readonly attempt: number;
  readonly region: Region<FuseExports>;
}

/**
 * Returns the mixed hashes of all keys, each of two words, sorted and without duplicates. Cells of hashes that are near
 * one another are near, too, so sorting also lets the first attempt pass through memory in order.
 */
export function distinctHashes(engine: Engine<FuseExports>, keys: unknown, seed: number): Uint32Array {
  const hashes = hashAll(engine, keys, seed, 8, ({ kernel, scratch }, count) => kernel.fuse_mix(scratch.hashes, count));
  // As words, because reading 64-bit integers makes an object of each.
  const words = new Uint32Array(new BigUint64Array(hashes.buffer).sort().buffer);
  let end = 0;
  for (let at = 0; at < words.length; at += 2) {
    if (end > 0 && words[at] === words[end - 2] && words[at + 1] === words[end - 1]) continue;
    words[end++] = words[at] as number;
    words[end++] = words[at + 1] as number;
  }
  return words.subarray(0, end);
}

/** The layout of an attempt. Each fourth one has a sixteenth more segments. */
function layoutOf(count: number, attempt: number): FuseLayout {
  const { exponent, segments } = fuseLayout(count);
  return { exponent, segments: segments + (attempt >> 2) * Math.max(1, segments >> 4) };
}

/** Fills the body behind the memory that is needed for building. Returns whether the attempt succeeded. */
function fill(
  { instance, pointer }: Region<FuseExports>,
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
export function buildCells(engine: Engine<FuseExports>, hashes: Uint32Array, bits: number): Built {
  let work: Region<FuseExports> | undefined;
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const layout = layoutOf(hashes.length / 2, attempt);
      const cells = cellsIn(layout);
      const bodyAt = WORK_BYTES * cells;
      const bodyLength = Math.ceil((cells * bits) / 8);
      const length = bodyAt + bodyLength;
      if (work?.byteLength === length) {
        work.clear();
      } else {
        work?.dispose();
        work = reserve(engine, length, hashes.length / 2);
      }
      if (!fill(work, hashes, layout, attempt, bodyAt, bits)) continue;
      const region = engine.reserve(bodyLength);
      // Take both views after reserving, which may replace the buffer.
      region.bytes.set(work.bytes.subarray(bodyAt, length));
      return { ...layout, attempt, region };
    }
  } finally {
    work?.dispose();
  }
  throw new Error(`no filter of these keys could be built in ${MAX_ATTEMPTS} attempts: choose another seed`);
}

function reserve(engine: Engine<FuseExports>, length: number, count: number): Region<FuseExports> {
  if (length <= engine.maxBytes) return engine.reserve(length);
  const [needed, most] = [length, engine.maxBytes].map(showBytes);
  throw new RangeError(
    `${count} keys are too many: building their filter takes ${needed}, and at most ${most} can be had`,
  );
}
