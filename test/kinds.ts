// Every kind of filter on every engine, for the test suites. A new kind is one more row.

import * as wasmCuckoo from '../src/entries/cuckoo.ts';
import * as jsCuckoo from '../src/entries/cuckoo-js.ts';
import * as wasmWide from '../src/entries/wide.ts';
import * as jsWide from '../src/entries/wide-js.ts';
import * as blocked from '../src/filters/blocked.ts';
import * as classic from '../src/filters/bloom.ts';
import * as counting from '../src/filters/counting.ts';
import * as cuckoo from '../src/filters/cuckoo.ts';
import type { GrowingFilter } from '../src/filters/filter.ts';
import * as wide from '../src/filters/wide.ts';
import * as wasmApi from '../src/index.ts';
import * as jsApi from '../src/js.ts';
import type { CuckooExports } from '../src/kernel/generated/cuckoo/exports.ts';
import type { WideExports } from '../src/kernel/generated/wide/exports.ts';
import { js } from '../src/kernel/js.ts';
import type { KernelExports } from '../src/kernel/kernel.ts';
import type { Engine, Region } from '../src/kernel/region.ts';
import { wasm } from '../src/kernel/wasm.ts';
import { blockedBytes, classicBytes, countingBytes, cuckooBytes, wideBytes } from './oracle.ts';

/** Both main entries of the package. The same tests run on each. */
export const entries = [
  { name: 'wasm', api: wasmApi, engine: wasm },
  { name: 'js', api: jsApi, engine: js },
] as const;

/** The methods of all kinds. Those that take another filter of the same kind are only there if `isCellwise`. */
export interface AnyFilter extends GrowingFilter {
  union(other: AnyFilter): AnyFilter;
  intersection(other: AnyFilter): AnyFilter;
  merge(other: AnyFilter): this;
  clone(): AnyFilter;
  equals(other: AnyFilter): boolean;
  readonly [Symbol.toStringTag]: string;
}

/** A class of any kind. */
export interface AnyClass {
  new (options: object): AnyFilter;
  readonly engine: Engine;
  readonly kind: string;
  from<K extends wasmApi.Keys>(keys: K, options?: object): AnyFilter;
  fromBytes(bytes: Uint8Array): AnyFilter;
  fromChunks(chunks: Iterable<Uint8Array>): AnyFilter;
  fromChunks(chunks: AsyncIterable<Uint8Array>): Promise<AnyFilter>;
}

/** A size and a seed. Cells are rounded up to whole blocks if the kind has blocks; a fixed number of hashes stays. */
export interface Shape {
  readonly cells: number;
  readonly hashes: number;
  readonly seed?: number;
  /** The number of bits per cell, if the kind has cells of several widths. */
  readonly cellBits?: number;
}

/** Pointers to hashes in memory and to the place of their flags. */
interface Chunk {
  readonly from: number;
  readonly count: number;
  readonly flags: number;
}

/** What the suites need to know about a kind. */
interface Row {
  readonly kind: string;
  /** The number of the kind in files. */
  readonly id: number;
  readonly className: string;
  /** The class without an engine. `classes` are those of the package, by engine. */
  readonly Core: AnyClass;
  readonly classes: { readonly wasm: AnyClass; readonly js: AnyClass };
  /** Whether filters can be combined cell by cell. Such a filter also takes any number of keys. */
  readonly isCellwise: boolean;
  readonly cellName: 'bits' | 'counters' | 'slots';
  readonly cellBits: number;
  /** The options, and properties, that give a size. */
  readonly sizes: readonly string[];
  /** The options for a number of cells and hashes. */
  sizeOf(cells: number, hashes: number): object;
  /** The number of cells per block; 1 without blocks. */
  readonly blockCells: number;
  /** The number of hashes, if the kind allows only one. */
  readonly fixedHashes?: number;
  /** The lowest error rate that the kind supports. */
  readonly minErrorRate: number;
  /** The number of cells of a small filter, whose last byte has unused bits if the kind allows that. */
  readonly oddCells: number;
  /** How many keys fit in any case, if a filter can be full. */
  roomOf?(cells: number): number;
  /** The bytes of a filter of this kind, computed by the oracle. */
  bytesOf(keys: Iterable<wasmApi.Key>, shape: Shape): Uint8Array;
  /** Looks up hashes in a body with the kernel function alone, and returns how many look present. */
  probe(kernel: KernelExports, body: number, shape: Shape, chunk: Chunk): number;
}

/** Casts a class: the classes differ in their options and in the type of `other`. */
function anyClass(Class: object): AnyClass {
  return Class as AnyClass;
}

export const rows: readonly Row[] = [
  {
    kind: 'classic',
    id: 1,
    className: 'BloomFilter',
    Core: anyClass(classic.BloomFilter),
    classes: { wasm: anyClass(wasmApi.BloomFilter), js: anyClass(jsApi.BloomFilter) },
    isCellwise: true,
    cellName: 'bits',
    cellBits: 1,
    sizes: ['bits', 'hashes'],
    sizeOf: (bits, hashes) => ({ bits, hashes }),
    blockCells: 1,
    minErrorRate: 1e-70,
    oddCells: 83,
    bytesOf: (keys, { cells, hashes, seed = 0 }) => classicBytes(keys, cells, hashes, seed),
    probe: (kernel, body, { cells, hashes }, { from, count, flags }) =>
      kernel.bloom_has(body, cells, hashes, from, count, flags),
  },
  {
    kind: 'blocked',
    id: 2,
    className: 'BlockedBloomFilter',
    Core: anyClass(blocked.BlockedBloomFilter),
    classes: { wasm: anyClass(wasmApi.BlockedBloomFilter), js: anyClass(jsApi.BlockedBloomFilter) },
    isCellwise: true,
    cellName: 'bits',
    cellBits: 1,
    sizes: ['bits'],
    sizeOf: (bits) => ({ bits }),
    blockCells: 256,
    fixedHashes: 8,
    minErrorRate: 1e-5,
    oddCells: 256,
    bytesOf: (keys, { cells, seed = 0 }) => blockedBytes(keys, Math.ceil(cells / 256), seed),
    probe: (kernel, body, { cells }, { from, count, flags }) =>
      kernel.blocked_has(body, cells / 256, from, count, flags),
  },
  {
    kind: 'counting',
    id: 3,
    className: 'CountingBloomFilter',
    Core: anyClass(counting.CountingBloomFilter),
    classes: { wasm: anyClass(wasmApi.CountingBloomFilter), js: anyClass(jsApi.CountingBloomFilter) },
    isCellwise: true,
    cellName: 'counters',
    cellBits: 4,
    sizes: ['counters', 'hashes'],
    sizeOf: (counters, hashes) => ({ counters, hashes }),
    blockCells: 1,
    minErrorRate: 1e-70,
    oddCells: 21,
    bytesOf: (keys, { cells, hashes, seed = 0 }) => countingBytes(keys, cells, hashes, seed),
    probe: (kernel, body, { cells, hashes }, { from, count, flags }) =>
      kernel.counting_has(body, cells, hashes, from, count, flags),
  },
  {
    kind: 'cuckoo',
    id: 7,
    className: 'CuckooFilter',
    Core: anyClass(cuckoo.CuckooFilter),
    classes: { wasm: anyClass(wasmCuckoo.CuckooFilter), js: anyClass(jsCuckoo.CuckooFilter) },
    isCellwise: false,
    cellName: 'slots',
    cellBits: 16,
    sizes: ['buckets', 'fingerprintBits'],
    sizeOf: (slots) => ({ buckets: 2 * Math.ceil(slots / 8), fingerprintBits: 16 }),
    blockCells: 8,
    fixedHashes: 2,
    minErrorRate: 1e-8,
    oddCells: 8,
    roomOf: (slots) => Math.max(8, Math.floor(0.95 * (slots - 20))),
    bytesOf: (keys, { cells, seed = 0, cellBits = 16 }) => cuckooBytes(keys, 2 * Math.ceil(cells / 8), cellBits, seed),
    probe: (kernel, body, { cells, cellBits = 16 }, { from, count, flags }) =>
      (kernel as KernelExports & CuckooExports).cuckoo_has(body, cells / 4, cellBits, from, count, flags),
  },
  {
    kind: 'wide',
    id: 12,
    className: 'WideBlockedBloomFilter',
    Core: anyClass(wide.WideBlockedBloomFilter),
    classes: { wasm: anyClass(wasmWide.WideBlockedBloomFilter), js: anyClass(jsWide.WideBlockedBloomFilter) },
    isCellwise: true,
    cellName: 'bits',
    cellBits: 1,
    sizes: ['bits'],
    sizeOf: (bits) => ({ bits }),
    blockCells: 512,
    fixedHashes: 16,
    minErrorRate: 1e-8,
    oddCells: 512,
    bytesOf: (keys, { cells, seed = 0 }) => wideBytes(keys, Math.ceil(cells / 512), seed),
    probe: (kernel, body, { cells }, { from, count, flags }) =>
      (kernel as KernelExports & WideExports).wide_has(body, cells / 512, from, count, flags),
  },
];

/** A filter and its memory, to which users have no access. */
export interface Opened<F> {
  readonly filter: F;
  readonly region: Region;
  /** A copy of the filter's cells, as bytes. */
  bytes(): Uint8Array;
}

/** A kind of filter on an engine. */
export interface KindOnEngine extends Row {
  readonly name: string;
  readonly engine: Engine;
  readonly Filter: AnyClass;
  /** The options that make a filter of this shape. */
  optionsOf(shape: Shape): object;
  /** Makes a filter from a size instead of a capacity and an error rate. */
  sized(shape: Shape): AnyFilter;
  open(shape: Shape): Opened<AnyFilter>;
}

/** The shape of a filter, whichever way it was made. */
export function shapeOf({ cellCount: cells, cellBits, hashes, seed }: AnyFilter): Shape {
  return { cells, cellBits, hashes, seed };
}

/** A subclass that runs on another engine. */
export function classOn(Core: AnyClass, engine: Engine): AnyClass {
  return class extends Core {
    static override readonly engine = engine;
  };
}

/** An engine that records the regions it reserves. */
export function watched(engine: Engine): { readonly engine: Engine; readonly regions: Region[] } {
  const regions: Region[] = [];
  const reserve: Engine['reserve'] = (byteLength, grows) => {
    const region = engine.reserve(byteLength, grows);
    regions.push(region);
    return region;
  };
  return { engine: { ...engine, reserve }, regions };
}

/** Makes a filter of a class on an engine, with access to its memory. */
export function open(Core: AnyClass, engine: Engine, options: object): Opened<AnyFilter> {
  const { engine: seen, regions } = watched(engine);
  const filter = new (classOn(Core, seen))(options);
  const [region] = regions;
  if (region === undefined) throw new Error('no region was reserved');
  return { filter, region, bytes: () => region.bytes.slice(0, region.byteLength) };
}

/** Every kind on every engine, for tests of what they all share. */
export const kinds: readonly KindOnEngine[] = (['wasm', 'js'] as const).flatMap((name) =>
  rows.map((row): KindOnEngine => {
    const Filter = row.classes[name];
    const { engine } = Filter;
    const optionsOf = ({ cells, hashes, seed = 0 }: Shape): object => ({ ...row.sizeOf(cells, hashes), seed });
    return {
      ...row,
      name: `${name}, ${row.kind}`,
      engine,
      Filter,
      optionsOf,
      sized: (shape) => new Filter(optionsOf(shape)),
      open: (shape) => open(row.Core, engine, optionsOf(shape)),
    };
  }),
);

/** The kinds whose filters can be combined cell by cell. */
export const cellKinds: readonly KindOnEngine[] = kinds.filter(({ isCellwise }) => isCellwise);

/** The row of a kind. */
export function rowOf(kind: string): Row {
  const row = rows.find((each) => each.kind === kind);
  if (row === undefined) throw new Error(`there is no kind ${kind}`);
  return row;
}
