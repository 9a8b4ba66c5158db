// The kinds of filters that a build can make of a list, and how a page loads them.

import type { KeyLines } from '../../keys/lines.ts';
import { CuckooFilter } from '../../kinds/cuckoo/wasm.ts';
import { BinaryFuseFilter } from '../../kinds/fuse/wasm.ts';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from '../../kinds/wasm.ts';
import { WideBlockedBloomFilter } from '../../kinds/wide/wasm.ts';

interface Options {
  readonly errorRate?: number;
}

interface AssetKind {
  /** The name by which pages import the class on WebAssembly. */
  readonly entry: string;
  readonly Class: {
    readonly name: string;
    from(keys: KeyLines, options: Options): { toBytes(): Uint8Array<ArrayBuffer>; dispose(): void };
  };
}

export type KindName = 'fuse' | 'classic' | 'blocked' | 'wide' | 'counting' | 'cuckoo';

/**
 * The kinds that keep every key of a list. Those that forget keys are left out, and those that need more than a list,
 * or do what others do in less space once all keys are known.
 */
export const assetKinds: Readonly<Record<KindName, AssetKind>> = {
  fuse: { entry: 'bloomery/fuse', Class: BinaryFuseFilter },
  classic: { entry: 'bloomery', Class: BloomFilter },
  blocked: { entry: 'bloomery', Class: BlockedBloomFilter },
  wide: { entry: 'bloomery/wide', Class: WideBlockedBloomFilter },
  counting: { entry: 'bloomery', Class: CountingBloomFilter },
  cuckoo: { entry: 'bloomery/cuckoo', Class: CuckooFilter },
};
