// The cells of a fuse filter, which a sharded one has as well, in each of its shards.

import { Cells, type Kind } from '../../filters/kind.ts';
import type { Saved } from '../../format/header.ts';
import type { FuseExports } from '../../kernel/generated/fuse/exports.ts';
import type { RegionWith } from '../../kernel/region.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import { FUSE_FILE, type FuseParameters } from './file.ts';
import { MAX_BITS } from './sizing.ts';

export const FUSE: Kind<FuseCells> = {
  ...FUSE_FILE,
  className: 'BinaryFuseFilter',
  traits: {
    removes: false,
    canBeFull: false,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: () => 2 ** -MAX_BITS,
  },
  sizes: [],
  shown: ['cellCount', 'cellBits'],
  cellsOf: (saved: Saved<FuseParameters>) => new FuseCells(saved),
};

/** Each key has three cells, whose XOR is its fingerprint. The linked module computes which from its hash. */
export class FuseCells extends Cells {
  declare readonly region: RegionWith<FuseExports>;
  declare readonly own: FuseParameters;

  get kind(): Kind {
    return FUSE;
  }

  has(count: number): number {
    const { region, cellBits, own } = this;
    const { kernel, scratch } = region.instance;
    if (own.count === 0) {
      scratch.flagBytes.fill(0, 0, count);
      return 0;
    }
    const { pointer } = region;
    const { exponent, segments, attempt } = own;
    return kernel.fuse_has(pointer, exponent, segments, attempt, cellBits, scratch.hashes, count, scratch.flags);
  }

  hasKey(key: Key): boolean {
    const { region, seed, cellBits, own } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    const { pointer } = region;
    const { exponent, segments, attempt, count } = own;
    const { keys } = scratch;
    return (
      kernel.fuse_has_key(pointer, exponent, segments, attempt, cellBits, text, keys, length, seed) === 1 && count > 0
    );
  }
}
