import type { Kind } from '../../../filters/kind.ts';
import type { Saved } from '../../../format/header.ts';
import type { Key } from '../../../keys/key.ts';
import { FUSE, FuseCells } from '../cells.ts';
import { SHARDED_FUSE_FILE, type ShardedParameters } from './file.ts';
import { ShardedCells } from './shards.ts';

export const SHARDED_FUSE: Kind<ShardedFuseCells> = {
  ...SHARDED_FUSE_FILE,
  className: 'ShardedFuseFilter',
  traits: FUSE.traits,
  sizes: [],
  shown: ['shards', 'cellCount', 'cellBits'],
  cellsOf: (saved: Saved<ShardedParameters>) => new ShardedFuseCells(saved),
};

/** Fuse filters in shards. */
export class ShardedFuseCells extends ShardedCells<FuseCells> {
  declare readonly own: ShardedParameters;

  constructor(saved: Saved<ShardedParameters>) {
    const { own, parameters, cellBits, segments } = saved;
    const shards = segments.map(
      (region, i) => new FuseCells({ parameters, cellBits, own: own.shards[i], segments: [region] }),
    );
    super(saved, shards);
  }

  get kind(): Kind {
    return SHARDED_FUSE;
  }

  hasKey(key: Key): boolean {
    const [shard] = this.shards;
    if (this.shards.length === 1) return (shard as FuseCells).hasKey(key);
    return this.ask(key).region.instance.scratch.flagBytes[0] === 1;
  }
}
