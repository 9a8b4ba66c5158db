// Kinds whose filters are made around those of another kind, in the form of a kind that is made of keys and options.

import type { LoadableClass } from '../../src/entries/load.ts';
import type { Key, Keys } from '../../src/index.ts';
import type { AnyClass, AnyFilter } from './kinds.ts';

interface Wrapper extends AnyFilter {
  exclude(key: Key): boolean;
}

export interface WrapperClass {
  new (base: AnyFilter): Wrapper;
  fromBytes(bytes: Uint8Array | ArrayBuffer, classes: readonly LoadableClass[]): AnyFilter;
  fromChunks(chunks: Iterable<Uint8Array>, classes: readonly LoadableClass[]): AnyFilter;
}

const CANDIDATES = Array.from({ length: 1000 }, (_, i) => `never added ${i}`);

/**
 * A subclass whose filters are made around those of `Base`, and of which known false positives are excluded.
 *
 * @param others further classes of bases, for files
 */
export function around(Class: WrapperClass, Base: AnyClass, others: readonly AnyClass[] = []): AnyClass {
  const bases = [Base, ...others] as object as readonly LoadableClass[];
  class Wrapped extends Class {
    static from(this: WrapperClass, keys: Keys, options?: object): Wrapper {
      const filter = new this(Base.from(keys, options));
      for (const key of CANDIDATES) filter.exclude(key);
      return filter;
    }

    static override fromBytes(bytes: Uint8Array | ArrayBuffer): AnyFilter {
      return super.fromBytes(bytes, bases);
    }

    static override fromChunks(chunks: Iterable<Uint8Array>): AnyFilter {
      return super.fromChunks(chunks, bases);
    }
  }
  return Wrapped as object as AnyClass;
}
