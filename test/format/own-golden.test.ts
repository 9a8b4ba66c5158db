// Files that earlier versions wrote, of the kinds with parameters of their own. test/format/scalable.test.ts has those
// of scalable filters, which go on growing, and test/format/tombstone.test.ts those of filters around others.

import { describe, expect, it } from 'vitest';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import { type AnyClass, type AnyFilter, kinds } from '../shared/kinds.ts';
import { Stable } from '../shared/oracle-layers.ts';
import { type Golden, goldenFiles, goldenKeys, readGolden } from './golden.ts';
import { checksumOf, splitAt, viewOf } from './saved.ts';

/** The fields that only some kinds have. */
interface Own extends Golden {
  readonly lanes?: number;
  readonly window?: number;
  readonly labels?: number;
}
type Keys = (string | number)[];

interface Row {
  /** Makes the same filter again. */
  make(Filter: AnyClass, keys: Keys, golden: Own): { toBytes(): Uint8Array };
  /** The byte length of each segment. Default: one segment. */
  lengthsOf?(file: Uint8Array): number[];
  /** Those of its keys that a filter must find. Default: all. */
  presentIn?(keys: Keys, golden: Own): Keys;
}

const rows: Readonly<Record<string, Row>> = {
  fuse: { make: (Filter, keys, { bits, seed }) => Filter.from(keys, { fingerprintBits: bits, seed }) },
  'sharded-fuse': {
    make: (Filter, keys, { bits, seed, shards }) => Filter.from(keys, { fingerprintBits: bits, seed, shards }),
    lengthsOf: (file) => {
      const view = viewOf(file);
      return Array.from({ length: view.getUint32(44, true) }, (_, i) => {
        const cells = (view.getUint32(68 + 24 * i, true) + 2) * 2 ** view.getUint32(64 + 24 * i, true);
        return Math.ceil(cells / 8) * (file[7] as number);
      });
    },
  },
  rotating: {
    make: (Filter, keys, { promise, seed, lanes, window }) =>
      new Filter({ ...promise, seed, lanes, clock: () => 1000, ...(window && { window }) }).addMany(keys),
    presentIn: (keys, { promise }) => keys.slice(-(promise?.capacity ?? 0)),
  },
  stable: {
    make: (Filter, keys, { bits, seed, decrements, promise, cells, hashes }) =>
      new Filter({ ...(promise ?? { cells, hashes, decrements }), cellBits: bits, seed }).addMany(keys),
    presentIn: (keys, { cells, bits: cellBits = 1, hashes, decrements = 0, seed }) => {
      const oracle = new Stable({ cells, cellBits, hashes, decrements, seed });
      for (const key of keys) oracle.add(key);
      return keys.filter((key) => oracle.has(key));
    },
  },
  spatial: {
    // The labels are 1, 2 … in turn. The suites' class would give all keys one label.
    make: (_, keys, { promise, cells, hashes, seed, labels = 0 }) =>
      new SpatialBloomFilter({ ...(promise ?? { cells, hashes }), seed, labels }).addMany(
        keys,
        keys.map((_, i) => 1 + (i % labels)),
      ),
  },
};

const goldens = (goldenFiles as readonly Own[]).filter(({ kind }) => kind in rows);

it('golden files cover each of these kinds', () => {
  expect(new Set(goldens.map(({ kind }) => kind))).toEqual(new Set(Object.keys(rows)));
});

describe.each(goldens)('golden file $file', (golden) => {
  const { kind, cells, seed, promise, lanes, window, labels, shards, decrements } = golden;
  const { make, lengthsOf, presentIn = (given) => given } = rows[kind] as Row;
  const { Filter, Twin } = kinds.find((each) => each.kind === kind) as (typeof kinds)[number];
  const bytes = readGolden(golden);
  const keys = goldenKeys(golden);
  const offset = viewOf(bytes).getUint32(40, true);

  it('can be read by either engine, whole or in chunks, has the parameters of its row, and is made again', () => {
    const own = { lanes, window, labels, shards, decrements };
    const known = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
    const parts = splitAt(bytes, [3, 70, 130]);
    for (const read of [Filter.fromBytes(bytes), Twin.fromBytes(bytes), Filter.fromChunks(parts)]) {
      expect(read).toMatchObject({ cellCount: cells, seed, ...known, ...(golden.bits && { cellBits: golden.bits }) });
      if (promise) expect(read).toMatchObject(promise);
      expect(read.toBytes()).toEqual(bytes);
      if (lanes) (read as AnyFilter & { clock: () => number }).clock = () => 1000;
      const present = presentIn(keys, golden);
      expect(read.omit(present)).toEqual([]);
      expect(present.filter((key) => !read.has(key))).toEqual([]);
    }
    expect(viewOf(bytes).getBigUint64(56, true)).toBe(checksumOf(bytes, offset, lengthsOf?.(bytes)));
    expect(make(Filter, keys, golden).toBytes()).toEqual(bytes);
  });
});
