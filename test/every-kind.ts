// Every kind of filter on every engine, for the laws that all kinds keep. A new kind is one more row: in kinds.ts if its
// filters can be made of any number of cells, else here.

import fc from 'fast-check';
import * as wasmFuse from '../src/entries/fuse.ts';
import * as jsFuse from '../src/entries/fuse-js.ts';
import { loadAny } from '../src/entries/load.ts';
import * as wasmRotating from '../src/entries/rotating.ts';
import * as jsRotating from '../src/entries/rotating-js.ts';
import * as wasmScalable from '../src/entries/scalable.ts';
import * as jsScalable from '../src/entries/scalable-js.ts';
import { BloomFilter, type GrowingFilter, type Keys } from '../src/index.ts';
import type { Engine } from '../src/kernel/region.ts';
import { asynchronous, splitAt } from './format/saved.ts';
import { rows as cellRows } from './kinds.ts';

/** The methods of all kinds. Those that add keys are missing if `isStatic`. */
export interface EveryFilter extends GrowingFilter {
  clone(): EveryFilter;
  readonly [Symbol.toStringTag]: string;
}

/** A class of any kind. Not all can be made with `new`. */
export interface EveryClass {
  new (options: never): EveryFilter;
  readonly engine: Engine;
  from<K extends Keys>(keys: K, options?: object): EveryFilter;
  fromBytes(bytes: Uint8Array): EveryFilter;
  fromChunks(chunks: Iterable<Uint8Array>): EveryFilter;
  fromChunks(chunks: AsyncIterable<Uint8Array>): Promise<EveryFilter>;
}

/** More keys than the laws give to a filter of any kind. */
const ROOM = 10_000;

interface Row {
  readonly kind: string;
  /** The number of the kind in files. */
  readonly id: number;
  readonly className: string;
  readonly classes: { readonly wasm: EveryClass; readonly js: EveryClass };
  /** Whether a filter has all its keys from the start. */
  readonly isStatic: boolean;
  /** Options with which a filter finds its first `ROOM` keys. */
  readonly options: fc.Arbitrary<{ readonly seed: number }>;
}

/** A class, and that of the other engine. */
export interface OnBothEngines {
  readonly Filter: EveryClass;
  readonly Twin: EveryClass;
}

/** A kind on an engine. */
export interface EveryKind extends Omit<Row, 'classes'>, OnBothEngines {
  readonly name: string;
  readonly engine: 'wasm' | 'js';
}

/** A filter loaded from its file in every way: by either engine, whole, in chunks cut at these places, and cloned. */
export async function copiesOf(
  made: EveryFilter,
  { Filter, Twin }: OnBothEngines,
  places: readonly number[],
): Promise<EveryFilter[]> {
  const file = made.toBytes();
  const parts = splitAt(
    file,
    places.map((place) => Math.min(place, file.length)),
  );
  return [
    Filter.fromBytes(file),
    Twin.fromBytes(file),
    Twin.fromChunks(parts),
    await Filter.fromChunks(asynchronous(parts)),
    loadAny([BloomFilter, Twin as object as typeof BloomFilter], file) as object as EveryFilter,
    made.clone(),
  ];
}

/** Casts classes: they differ in their options. */
function both(wasm: object, js: object): Row['classes'] {
  return { wasm: wasm as EveryClass, js: js as EveryClass };
}

const seed = fc.nat(2 ** 32 - 1);
const errorRate = fc.constantFrom(0.3, 0.01, 0.001);

const everyRow: readonly Row[] = [
  ...cellRows.map(({ kind, id, className, classes }) => ({
    kind,
    id,
    className,
    classes: both(classes.wasm, classes.js),
    isStatic: false,
    options: fc.record({ capacity: fc.constantFrom(ROOM, 3 * ROOM), errorRate, seed }),
  })),
  {
    kind: 'scalable',
    id: 4,
    className: 'ScalableBloomFilter',
    classes: both(wasmScalable.ScalableBloomFilter, jsScalable.ScalableBloomFilter),
    isStatic: false,
    options: fc.record({
      capacity: fc.integer({ min: 1, max: 60 }),
      growth: fc.integer({ min: 2, max: 16 }),
      tightening: fc.constantFrom(0.5, 0.7, 0.95),
      errorRate,
      seed,
    }),
  },
  {
    kind: 'rotating',
    id: 5,
    className: 'RotatingBloomFilter',
    classes: both(wasmRotating.RotatingBloomFilter, jsRotating.RotatingBloomFilter),
    isStatic: false,
    options: fc.record({ capacity: fc.constant(ROOM), lanes: fc.integer({ min: 2, max: 16 }), errorRate, seed }),
  },
  {
    kind: 'fuse',
    id: 10,
    className: 'BinaryFuseFilter',
    classes: both(wasmFuse.BinaryFuseFilter, jsFuse.BinaryFuseFilter),
    isStatic: true,
    options: fc.record({ fingerprintBits: fc.integer({ min: 1, max: 32 }), seed }),
  },
];

export const everyKind: readonly EveryKind[] = (['wasm', 'js'] as const).flatMap((engine) =>
  everyRow.map(({ classes, ...row }) => ({
    ...row,
    name: `${engine}, ${row.kind}`,
    engine,
    Filter: classes[engine],
    Twin: classes[engine === 'wasm' ? 'js' : 'wasm'],
  })),
);
