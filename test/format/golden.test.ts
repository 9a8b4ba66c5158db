// Files that earlier versions wrote: they are read as what their rows say, and made again.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FuseMap } from '../../src/entries/fuse-map.ts';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import type { Key } from '../../src/index.ts';
import { sizeFor } from '../../src/kinds/classic/sizing.ts';
import { type AnyClass, type AnyFilter, type KindOnEngine, keyedKinds, kinds } from '../shared/kinds.ts';
import { Scalable, subFilterOf } from '../shared/oracle-layers.ts';
import { SECRET, seedUnder } from '../shared/secret.ts';
import { around, type WrapperClass } from '../shared/wrapped.ts';
import { checksumOf, keysOf, layoutOf, splitAt, viewOf } from './saved.ts';

/** How a file was made. test/golden/README.md explains the fields. */
type Golden = Readonly<
  Record<'file' | 'kind', string> &
    Record<'count' | 'cells' | 'hashes' | 'seed', number> &
    Partial<Record<'bits' | 'labels' | 'largest' | 'removed' | 'lanes' | 'window' | 'decrements', number>> &
    Partial<Record<'shards' | 'growth' | 'tightening' | 'slices', number>>
> & {
  readonly keys: 'strings' | 'integers';
  readonly promise: Readonly<{ capacity: number; errorRate: number }> | null;
  readonly base?: string;
};

/** The names that filters have for what only some kinds have. */
const OWN: Readonly<Record<string, string>> = {
  ...{ lanes: 'generations', slices: 'subFilters', bits: 'cellBits', window: 'window', decrements: 'decrements' },
  ...{ shards: 'shards', growth: 'growth', tightening: 'tightening', labels: 'labels' },
};

/** How a file under the secret was made. */
type KeyedGolden = Readonly<{ file: string; kind: string; count: number; options: object }>;

const read = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(`test/golden/${path}`));
const parse = (path: string): unknown => JSON.parse(Buffer.from(read(path)).toString());
const goldens = parse('index.json') as readonly Golden[];
const keyed = parse('keyed/index.json') as { readonly secret: string; readonly files: readonly KeyedGolden[] };

function rowOf(rows: readonly KindOnEngine[], kind: string): KindOnEngine {
  return rows.find((each) => each.kind === kind) as KindOnEngine;
}

/** The options that give a filter the cells of its row. */
const sizes: Readonly<Record<string, (golden: Golden) => object>> = {
  classic: ({ cells: bits, hashes }) => ({ bits, hashes }),
  blocked: ({ cells: bits }) => ({ bits }),
  wide: ({ cells: bits }) => ({ bits }),
  counting: ({ cells: counters, hashes }) => ({ counters, hashes }),
  cuckoo: ({ cells, bits }) => ({ buckets: cells / 4, fingerprintBits: bits }),
  dleft: ({ cells, bits = 0 }) => ({ buckets: cells / 32, remainderBits: bits - 2 }),
  rotating: ({ promise, lanes: generations, window }) => ({
    ...promise,
    generations,
    ...(window && { window }),
    clock: () => 1000,
  }),
  stable: ({ cells, hashes, decrements, bits: cellBits }) => ({ cells, hashes, decrements, cellBits }),
  fuse: ({ bits: fingerprintBits }) => ({ fingerprintBits }),
  'sharded-fuse': ({ bits: fingerprintBits, shards }) => ({ fingerprintBits, shards }),
};

function valuesUpTo(largest: number, keys: readonly Key[]): number[] {
  return keys.map((_, i) => (i === 0 ? largest : i % (largest + 1)));
}

/**
 * Makes the filter of a row again. Undefined for sub-filters of sizes that this version does not choose, and what has
 * them.
 */
function made({ kind, cells, hashes, seed, labels = 0, largest = 0, ...golden }: Golden, keys: Key[]) {
  const options = sizes[kind]?.({ kind, cells, hashes, seed, ...golden });
  if (options) return rowOf(kinds, kind).Filter.from(keys, { ...options, seed });
  if (kind === 'fuse-map') {
    const { bits = 0, shards } = golden;
    const fingerprintBits = bits - largest.toString(2).length;
    return FuseMap.from(keys, valuesUpTo(largest, keys), { fingerprintBits, shards, seed });
  }
  if (kind !== 'spatial') return undefined;
  const own = keys.map((_, i) => 1 + (i % labels));
  return new SpatialBloomFilter({ cells, hashes, labels, seed }).addMany(keys, own);
}

it('golden files cover every kind, with and without a secret, which is that of the suites', () => {
  const names = kinds.map(({ kind }) => kind);
  for (const rows of [goldens, keyed.files]) expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(names));
  expect(Buffer.from(SECRET).toString('hex')).toBe(keyed.secret);
});

describe.each(goldens)('golden file $file', (golden) => {
  const { file, kind, cells, hashes, seed, promise, base, removed = 0, keys: form, count } = golden;
  const { lanes: generations, decrements } = golden;
  const own = Object.entries(golden).flatMap(([name, value]) => (name in OWN ? [[OWN[name], value]] : []));
  const saved = read(file);
  const keys = form === 'strings' ? keysOf(count) : Array.from({ length: count }, (_, i) => i);
  const row = rowOf(kinds, kind);
  /** The class, around bases of this kind. */
  const withBase = (Class: AnyClass): AnyClass =>
    base ? around(Object.getPrototypeOf(Class) as WrapperClass, rowOf(kinds, base).Filter) : Class;
  const Filter = withBase(row.Filter);

  it('is read by either engine, whole or in chunks, with its parameters, keys and values, and is saved as it is', () => {
    const again = made(golden, keys)?.toBytes() ?? saved;
    expect(Buffer.compare(again.subarray(layoutOf(again)[0]), saved.subarray(layoutOf(saved)[0]))).toBe(0);
    expect(viewOf(saved).getBigUint64(56, true)).toBe(checksumOf(saved));
    const [read, inChunks] = [Filter.fromBytes(saved), Filter.fromChunks(splitAt(saved, [3, 70, 130]))];
    for (const filter of [read, inChunks, withBase(row.Twin).fromBytes(saved)]) {
      expect(filter).toMatchObject({ kind, cellCount: cells, hashes, seed, ...promise });
      expect(filter).toMatchObject(Object.fromEntries(own));
      expect(filter.toBytes()).toEqual(saved);
      if (generations) (filter as AnyFilter & { clock: () => number }).clock = () => 1000;
      // Rotating filters keep at least the last keys; what stable ones keep follows from their cells.
      const kept = decrements ? [] : keys.slice(generations ? -(promise?.capacity ?? 0) : 0);
      expect(filter.omit(kept)).toEqual(keys.slice(0, removed));
      if (filter instanceof FuseMap) expect([...filter.getMany(keys)]).toEqual(valuesUpTo(golden.largest ?? 0, keys));
    }
  });
});

// Sub-filters for few keys had fewer bits then.
const scalable = goldens.filter(({ kind }) => kind === 'scalable');
it.each(scalable)('a scalable filter of an earlier version goes on with sub-filters of this one: $file', (golden) => {
  const { file, keys: form, count, seed, promise, growth = 0, tightening = 0, slices: subFilters = 0 } = golden;
  const saved = read(file);
  const view = viewOf(saved);
  const { capacity = 0, errorRate = 0 } = promise ?? {};
  const sizeOf = (i: number): { m: number; k: number } => {
    const at = 128 + 32 * i;
    if (i < subFilters) return { m: Number(view.getBigUint64(at, true)), k: view.getUint32(at + 24, true) };
    const { keys, rate } = subFilterOf(i, { capacity, errorRate, growth, tightening });
    const { cellCount: m, hashes: k } = sizeFor(keys, rate);
    return { m, k };
  };
  const oracle = new Scalable({ capacity, growth, seed, sizeOf });
  for (let i = 0; i < count; i++) oracle.add(form === 'strings' ? `key ${i}` : i);
  expect(saved.subarray(layoutOf(saved)[0])).toEqual(oracle.bytes());
  const more = Array.from({ length: 1500 }, (_, i) => `another key ${i}`);
  for (const key of more) oracle.add(key);
  const grown = rowOf(kinds, 'scalable').Filter.fromBytes(saved).addMany(more).toBytes();
  expect(oracle.subFilters.length).toBeGreaterThan(subFilters);
  expect(grown.subarray(layoutOf(grown)[0])).toEqual(oracle.bytes());
});

it.each(keyed.files)('golden file keyed/$file is read by either engine, and made again', (golden) => {
  const { file, kind, count, options } = golden;
  const saved = read(`keyed/${file}`);
  const keys = keysOf(count);
  const { Filter, Twin } = rowOf(keyedKinds, kind);
  expect([saved[6], viewOf(saved).getUint32(8, true)]).toEqual([2, seedUnder(SECRET) - 2 ** 32]);
  expect(viewOf(saved).getBigUint64(56, true)).toBe(checksumOf(saved));
  for (const Class of [Filter, Twin]) {
    for (const filter of [Class.fromBytes(saved), Class.fromChunks([saved]), Class.from(keys, options)]) {
      expect(filter).toMatchObject({ kind, engine: Class.engine.name, seed: seedUnder(SECRET) });
      expect(filter.omit(keys)).toEqual([]);
      expect(filter.toBytes()).toEqual(saved);
    }
  }
});
