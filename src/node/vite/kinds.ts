// The kinds of filters that a build can make of a list, and how a page loads them.

import { KeyLines } from '../../keys/lines.ts';
import { CuckooFilter } from '../../kinds/cuckoo/wasm.ts';
import { BinaryFuseFilter } from '../../kinds/fuse/wasm.ts';
import { FuseMap } from '../../kinds/fuse-map/wasm.ts';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from '../../kinds/wasm.ts';
import { WideBlockedBloomFilter } from '../../kinds/wide/wasm.ts';
import { valuesIn } from './columns.ts';

interface Options {
  readonly errorRate?: number;
}

interface Made {
  toBytes(): Uint8Array<ArrayBuffer>;
  dispose(): void;
}

interface AssetKind {
  /** The name by which pages import the class on WebAssembly. */
  readonly entry: string;
  readonly Class: { readonly name: string };
  /** Makes the filter of the text of the file at a path. Throws an error with a place if the text is wrong. */
  make(text: Uint8Array, path: string, options: Options): Made;
}

/** A kind that is made of keys, one a line. */
function ofLines(
  entry: string,
  Class: { readonly name: string; from(keys: KeyLines, options: Options): Made },
): AssetKind {
  return { entry, Class, make: (text, _, options) => Class.from(new KeyLines(text, true), options) };
}

export type KindName = 'fuse' | 'classic' | 'blocked' | 'wide' | 'counting' | 'cuckoo' | 'fuse-map';

/**
 * The kinds that keep every key of a list, and the one that keeps a value for each. Those that forget keys are left out,
 * and those that need more than a list, or do what others do in less space once all keys are known.
 */
export const assetKinds: Readonly<Record<KindName, AssetKind>> = {
  fuse: ofLines('bloomery/fuse', BinaryFuseFilter),
  classic: ofLines('bloomery', BloomFilter),
  blocked: ofLines('bloomery', BlockedBloomFilter),
  wide: ofLines('bloomery/wide', WideBlockedBloomFilter),
  counting: ofLines('bloomery', CountingBloomFilter),
  cuckoo: ofLines('bloomery/cuckoo', CuckooFilter),
  'fuse-map': {
    entry: 'bloomery/fuse-map',
    Class: FuseMap,
    make(text, path, options) {
      const values = valuesIn(text, path);
      return FuseMap.from(values.keys(), [...values.values()], options);
    },
  },
};
