// Filters for the suites of `openFilter`, and sources that count.

import type { LoadableClass } from '../../src/entries/load.ts';
import type { RangeSource } from '../../src/entries/open.ts';
import type { Keys } from '../../src/index.ts';
import { type AnyClass, type AnyFilter, type KindOnEngine, kinds } from '../shared/kinds.ts';

/** Whether filters of a kind can be looked up without being loaded. */
export function isOpened({ kind }: KindOnEngine): boolean {
  return kind !== 'tombstone';
}

/** Every kind that can be looked up without being loaded. */
export const openedKinds: readonly KindOnEngine[] = kinds.filter(isOpened);

export function loadable(Class: AnyClass): LoadableClass {
  return Class as object as LoadableClass;
}

/** The classes of all kinds. */
export const classes: readonly LoadableClass[] = kinds.map(({ Filter }) => loadable(Filter));

/** A filter of these keys, with room for `count` of them. */
export function filterOf({ Filter, seedOf, at }: KindOnEngine, keys: Keys, count: number): AnyFilter {
  const { traits } = loadable(Filter);
  const capacity = traits.canBeFull && { capacity: 2 * count };
  return Filter.from(keys, { seed: seedOf(3), ...at(0.02), ...capacity });
}

/** A source that counts its reads, how many of them are under way, and how often it is closed. */
export interface Counting extends RangeSource {
  readonly reads: [offset: number, length: number][];
  most: number;
  closes: number;
}

/** Bytes in memory. */
export function countingSource(bytes: Uint8Array, options: Pick<RangeSource, 'gap' | 'inFlight'> = {}): Counting {
  let underWay = 0;
  const source: Counting = {
    size: bytes.length,
    ...options,
    reads: [],
    most: 0,
    closes: 0,
    async read(offset, length) {
      source.reads.push([offset, length]);
      source.most = Math.max(source.most, ++underWay);
      await new Promise((done) => setImmediate(done));
      underWay--;
      return bytes.subarray(offset, offset + length);
    },
    close() {
      source.closes++;
    },
  };
  return source;
}
