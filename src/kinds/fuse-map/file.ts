// What a saved fuse map consists of: the width of its values, and the parameters of its shards.

import { type FileKind, requireSaved } from '../../format/header.ts';
import { CELLS_PER_KEY, FUSE_BYTES } from '../fuse/file.ts';
import {
  cellCountOf,
  readShards,
  requireShardCells,
  type ShardedParameters,
  shardBytes,
  writeShards,
} from '../fuse/sharded/file.ts';
import { MAX_SHARDS } from '../fuse/sharded/sizing.ts';
import { MAX_BITS } from '../fuse/sizing.ts';

/** The kind's own parameters. */
export interface MapParameters extends ShardedParameters {
  /** The number of bits of a value, in the low bits of a cell. */
  readonly valueBits: number;
}

/** In place of the value of a key that is absent. Only a map without fingerprints has such a value: there, none is. */
export const ABSENT: number = 0xffffffff;

/** The bytes before the parameters of the shards. */
const FIRST_BYTES = 8;

export const FUSE_MAP_FILE: FileKind<MapParameters> = {
  id: 15,
  name: 'fuse-map',
  cellName: 'cells',
  cellBits: [1, MAX_BITS],
  // The number of keys and the error rate follow from the kind's own parameters.
  allows: ({ hashes, capacity }) => hashes === CELLS_PER_KEY && capacity === 0,
  own: {
    maxSegments: MAX_SHARDS,
    byteLength: (shards) => FIRST_BYTES + FUSE_BYTES * shards,
    write(view, { valueBits, shards }: MapParameters) {
      view.setUint32(0, valueBits, true);
      writeShards(view, FIRST_BYTES, { shards });
    },
    read(view, { parameters: { cellCount }, cellBits }, segments) {
      const shards = readShards(view, FIRST_BYTES, segments);
      const valueBits = view.getUint32(0, true);
      const isRight = valueBits >= 1 && valueBits <= cellBits && view.getUint32(4, true) === 0;
      requireSaved(isRight, `its values have ${valueBits} of ${cellBits} bits`);
      const cells = cellCountOf({ shards });
      requireSaved(cellCount === cells, `it has ${cells} cells in its shards`);
      return { valueBits, shards };
    },
    segmentLengths: ({ own: { shards }, cellBits }) => shards.map((shard) => shardBytes(shard, cellBits)),
  },
  requireCells: requireShardCells,
};
