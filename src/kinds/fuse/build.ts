import { hashAll } from '../../filters/hashing.ts';
import type { FuseExports } from '../../kernel/generated/fuse/exports.ts';
import type { Instance } from '../../kernel/instance.ts';
import type { Engine, Region } from '../../kernel/region.ts';
import { FilterMemoryError } from '../../util/checks/errors.ts';
import { showBytes } from '../../util/checks/validate.ts';
import { MAX_ATTEMPTS } from './file.ts';
import { cellsIn, type FuseLayout, fuseLayout, optimalFuseCells } from './sizing.ts';

/** What cells are filled with. */
export interface Content {
  /** The bits of a cell. */
  readonly bits: number;
  /** The words of each key: the two of its mixed hash, and those that follow. */
  readonly words: number;
  /** The bytes that building takes per cell, besides the cell itself. */
  readonly workBytes: number;
  /** Counts keys in their cells, of which some words lie at `keys`. Returns 0 if a cell has too many. */
  count(kernel: object, work: number, layout: FuseLayout, attempt: number, keys: number, count: number): number;
  /** Writes the cells of `count` keys that were counted. Returns 0 if these cannot be told apart. */
  build(kernel: object, work: number, layout: FuseLayout, count: number, body: number): number;
}

/** Cells that hold fingerprints of `bits` bits. */
export function fingerprintsOf(bits: number): Content {
  return {
    bits,
    words: 2,
    workBytes: 13,
    count: (kernel, work, { exponent, segments }, attempt, keys, count) =>
      (kernel as FuseExports).fuse_count(work, exponent, segments, attempt, keys, count),
    build: (kernel, work, { exponent, segments }, count, body) =>
      (kernel as FuseExports).fuse_build(work, exponent, segments, count, body, bits),
  };
}

/** The numbers that tell which cells are a key's. */
interface Attempt extends FuseLayout {
  /** The number of the attempt that succeeded, from 0. */
  readonly attempt: number;
}

/** Cells that were filled, and where they are in the memory for building. */
export interface Filled extends Attempt {
  readonly bodyAt: number;
  /** The bytes of that memory that are in use: the cells end there. */
  readonly length: number;
}

/** Filled cells in memory of their own. */
interface Built extends Attempt {
  readonly region: Region;
}

/** Writes mixed hashes, of two words each, over the first `count` hashes in the scratch. */
export function mixHashes({ kernel, scratch }: Instance, count: number): void {
  (kernel as object as FuseExports).fuse_mix(scratch.hashes, count);
}

/**
 * Sorts mixed hashes, removes duplicates, and returns those that are left: a view of the same memory. Cells of hashes
 * that are near one another are near, too, so sorting also lets the first attempt pass through memory in order.
 */
export function sortDistinct(hashes: Uint32Array): Uint32Array {
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
export function distinctMixed(engine: Engine, keys: unknown, seed: number): Uint32Array {
  return sortDistinct(new Uint32Array(hashAll(engine, keys, seed, 8, mixHashes).buffer));
}

/** The layout of an attempt. After each four attempts, it gets a sixteenth more segments. */
function layoutOf(count: number, attempt: number): FuseLayout {
  const { exponent, segments } = fuseLayout(count);
  return { exponent, segments: segments + (attempt >> 2) * Math.max(1, segments >> 4) };
}

/** Fills the body, which follows the working memory in the region. Returns whether the attempt succeeded. */
function fill(
  { instance, pointer }: Region,
  keys: Uint32Array,
  content: Content,
  layout: FuseLayout,
  attempt: number,
  bodyAt: number,
): boolean {
  const { kernel, scratch } = instance;
  const { words } = content;
  const most = scratch.keyWords.length - (scratch.keyWords.length % words);
  for (let at = 0; at < keys.length; at += most) {
    const some = keys.subarray(at, at + most);
    scratch.keyWords.set(some);
    if (!content.count(kernel, pointer, layout, attempt, scratch.keys, some.length / words)) return false;
  }
  return content.build(kernel, pointer, layout, keys.length / words, pointer + bodyAt) === 1;
}

/** Gives memory of `length` bytes, zeros from its beginning on, to build a filter of `count` keys. */
type Reserve = (length: number, count: number) => Region;

/**
 * Makes the cells that hold these keys, in memory for building.
 *
 * @param keys the words of each key, without duplicates
 */
export function fillCells(reserve: Reserve, keys: Uint32Array, content: Content): Filled {
  const { bits, words, workBytes } = content;
  const count = keys.length / words;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const layout = layoutOf(count, attempt);
    const cells = cellsIn(layout);
    const bodyAt = workBytes * cells;
    const length = bodyAt + bytesOf(cells, bits);
    const work = reserve(length, count);
    if (fill(work, keys, content, layout, attempt, bodyAt)) return { ...layout, attempt, bodyAt, length };
  }
  throw new Error(`no filter of these keys could be built in ${MAX_ATTEMPTS} attempts: choose another seed`);
}

/** Copies cells that were built to memory of their own, of `byteLength` bytes. */
export function copyCells(engine: Engine, work: Region, { bodyAt, length }: Filled, byteLength: number): Region {
  const region = engine.reserve(byteLength);
  // The view is taken after reserving, which may replace the buffer.
  region.bytes.set(work.view(bodyAt, length));
  return region;
}

/** Makes the cells that hold these hashes, in memory of their own. */
export function buildCells(engine: Engine, hashes: Uint32Array, bits: number): Built {
  let work: Region | undefined;
  try {
    const filled = fillCells(
      (length, count) => {
        if (work?.byteLength === length) {
          work.clear();
          return work;
        }
        work?.dispose();
        requireRoom(engine, length, count);
        work = engine.reserve(length);
        return work;
      },
      hashes,
      fingerprintsOf(bits),
    );
    const { bodyAt, length } = filled;
    return { ...filled, region: copyCells(engine, work as never, filled, length - bodyAt) };
  } finally {
    work?.dispose();
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
export function sizeOf(
  engine: Engine,
  count: number,
  { bits, workBytes }: Content,
): { cellCount: number; byteLength: number } {
  const cellCount = optimalFuseCells(count);
  const byteLength = bytesOf(cellCount, bits);
  requireRoom(engine, workBytes * cellCount + byteLength, count);
  return { cellCount, byteLength };
}

/** Throws unless the engine can have the memory that building takes. */
export function requireRoom(engine: Engine, length: number, count: number): void {
  if (length <= engine.maxBytes) return;
  const [needed, most] = [length, engine.maxBytes].map(showBytes);
  throw new FilterMemoryError(
    `${count} keys are too many: building their filter takes ${needed}, and at most ${most} can be had`,
    length,
  );
}
