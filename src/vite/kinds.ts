// The kinds of filters that a build can make of a list, and how a page loads them.

import { CuckooFilter } from '../entries/cuckoo.ts';
import { BinaryFuseFilter } from '../entries/fuse.ts';
import { WideBlockedBloomFilter } from '../entries/wide.ts';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from '../index.ts';
import type { KeyLines } from '../keys/lines.ts';

interface Options {
  readonly errorRate?: number;
}

interface AssetKind {
  /** The name by which pages import the class on WebAssembly. */
  readonly entry: string;
  readonly className: string;
  make(keys: KeyLines, options: Options): { toBytes(): Uint8Array<ArrayBuffer>; dispose(): void };
}

export type KindName = 'fuse' | 'classic' | 'blocked' | 'wide' | 'counting' | 'cuckoo';

/**
 * The kinds that keep every key of a list. Those that forget keys are left out, and those that need more than a list,
 * or do what others do in less space once all keys are known.
 */
export const assetKinds: Readonly<Record<KindName, AssetKind>> = {
  fuse: {
    entry: 'bloomery/fuse',
    className: 'BinaryFuseFilter',
    make: (keys, options) => BinaryFuseFilter.from(keys, options),
  },
  classic: {
    entry: 'bloomery',
    className: 'BloomFilter',
    make: (keys, options) => BloomFilter.from(keys, options),
  },
  blocked: {
    entry: 'bloomery',
    className: 'BlockedBloomFilter',
    make: (keys, options) => BlockedBloomFilter.from(keys, options),
  },
  wide: {
    entry: 'bloomery/wide',
    className: 'WideBlockedBloomFilter',
    make: (keys, options) => WideBlockedBloomFilter.from(keys, options),
  },
  counting: {
    entry: 'bloomery',
    className: 'CountingBloomFilter',
    make: (keys, options) => CountingBloomFilter.from(keys, options),
  },
  cuckoo: {
    entry: 'bloomery/cuckoo',
    className: 'CuckooFilter',
    make: (keys, options) => CuckooFilter.from(keys, options),
  },
};
