// What a saved sharded fuse filter consists of: the parameters of its shards, written, read and checked.

import { type FileKind, requireSaved, requireZeros, type Saved, sum } from '../../../format/header.ts';
import { CELLS_PER_KEY, errorRateOf, FUSE_BYTES, type FuseParameters, readFuse, writeFuse } from '../file.ts';
import { cellsIn, type FuseLayout, MAX_BITS } from '../sizing.ts';
import { MAX_SHARDS, shardBitsOf } from './sizing.ts';

/** The kind's own parameters. */
export interface ShardedParameters {
  /** The parameters of the fuse filter in each shard. */
  readonly shards: readonly FuseParameters[];
}

/** The number of cells that a shard takes in the body: eight of them end at a byte, whatever their width. */
export function paddedCells(layout: FuseLayout): number {
  return 8 * Math.ceil(cellsIn(layout) / 8);
}

/** The byte length of a shard in the body. */
export function shardBytes(layout: FuseLayout, bits: number): number {
  return (paddedCells(layout) / 8) * bits;
}

/** The number of cells of all shards, padding included. */
export function cellCountOf({ shards }: ShardedParameters): number {
  return sum(shards.map(paddedCells));
}

/** The number of distinct keys in all shards. */
export function countOf({ shards }: ShardedParameters): number {
  return sum(shards.map(({ count }) => count));
}

/** Writes the parameters of shards at an offset. */
export function writeShards(view: DataView, at: number, { shards }: ShardedParameters): void {
  for (const [i, shard] of shards.entries()) writeFuse(view, at + FUSE_BYTES * i, shard);
}

/**
 * Reads the parameters of shards at an offset.
 *
 * @throws SavedFilterError if they, or their number, are not valid, or if the padding after them is not zero
 */
export function readShards(view: DataView, at: number, segments: number): FuseParameters[] {
  requireSaved(shardBitsOf(segments) !== undefined, `its number of shards is ${segments}`);
  requireZeros(view, at + FUSE_BYTES * segments);
  return Array.from({ length: segments }, (_, i) => readFuse(view, at + FUSE_BYTES * i, () => true));
}

/** What the header says of these shards. */
export function headerOf(
  own: ShardedParameters,
  bits: number,
): {
  cellCount: number;
  hashes: number;
  capacity: number;
  errorRate: number;
} {
  const capacity = countOf(own);
  return { cellCount: cellCountOf(own), hashes: CELLS_PER_KEY, capacity, errorRate: errorRateOf(capacity, bits) };
}

/** Throws if bits after the last cell of a shard are set. */
export function requireShardCells({ own: { shards }, cellBits, segments }: Saved<ShardedParameters>): void {
  for (const [i, shard] of shards.entries()) {
    const used = cellsIn(shard) * cellBits;
    const [last = 0, ...padding] = segments[i]?.view(Math.floor(used / 8), shardBytes(shard, cellBits)) ?? [];
    requireSaved(last >> (used % 8) === 0 && !padding.some(Boolean), `the padding bits of shard ${i} are not zero`);
  }
}

export const SHARDED_FUSE_FILE: FileKind<ShardedParameters> = {
  id: 13,
  name: 'sharded-fuse',
  cellName: 'cells',
  cellBits: [1, MAX_BITS],
  allows: ({ hashes }) => hashes === CELLS_PER_KEY,
  own: {
    maxSegments: MAX_SHARDS,
    byteLength: (shards) => FUSE_BYTES * shards,
    write: (view, own: ShardedParameters) => writeShards(view, 0, own),
    read(view, { parameters, cellBits }, segments) {
      const shards = readShards(view, 0, segments);
      const { cellCount, capacity, errorRate } = headerOf({ shards }, cellBits);
      const isRight =
        parameters.cellCount === cellCount && parameters.capacity === capacity && parameters.errorRate === errorRate;
      requireSaved(isRight, `it has ${capacity} keys and ${cellCount} cells in its shards`);
      return { shards };
    },
    segmentLengths: ({ own: { shards }, cellBits }) => shards.map((shard) => shardBytes(shard, cellBits)),
  },
  requireCells: requireShardCells,
};
