import * as blocked from '../src/filters/blocked.ts';
import * as core from '../src/filters/bloom.ts';
import * as counting from '../src/filters/counting.ts';
import type { Filter } from '../src/filters/filter.ts';
import * as wasmApi from '../src/index.ts';
import * as jsApi from '../src/js.ts';
import { js } from '../src/kernel/js.ts';
import type { Engine } from '../src/kernel/kernel.ts';
import type { Region } from '../src/kernel/region.ts';
import { wasm } from '../src/kernel/wasm.ts';
import { blockedBytes, classicBytes, countingBytes } from './oracle.ts';

/** Both entries of the package: one body of tests runs on both. */
export const entries = [
  { name: 'wasm', api: wasmApi, engine: wasm },
  { name: 'js', api: jsApi, engine: js },
] as const;

/** A filter and the bytes of its cells, which a user cannot see. */
export interface Opened<F> {
  readonly filter: F;
  bytes(): Uint8Array;
}

/** What `make` makes with the engine that it is given. */
function watch<F>(engine: Engine, make: (watched: Engine) => F): Opened<F> {
  const regions: Region[] = [];
  const filter = make({
    ...engine,
    reserve(byteLength, committed) {
      const region = engine.reserve(byteLength, committed);
      regions.push(region);
      return region;
    },
  });
  const [region] = regions;
  if (region === undefined) throw new Error('no region was reserved');
  return { filter, bytes: () => region.bytes.slice(0, region.byteLength) };
}

export function open(engine: Engine, options: core.BloomFilterOptions): Opened<core.BloomFilter> {
  return watch(engine, (watched) => {
    class Watched extends core.BloomFilter {
      static override readonly engine = watched;
    }
    return new Watched(options);
  });
}

export function openBlocked(
  engine: Engine,
  options: blocked.BlockedBloomFilterOptions,
): Opened<blocked.BlockedBloomFilter> {
  return watch(engine, (watched) => {
    class Watched extends blocked.BlockedBloomFilter {
      static override readonly engine = watched;
    }
    return new Watched(options);
  });
}

export function openCounting(
  engine: Engine,
  options: counting.CountingBloomFilterOptions,
): Opened<counting.CountingBloomFilter> {
  return watch(engine, (watched) => {
    class Watched extends counting.CountingBloomFilter {
      static override readonly engine = watched;
    }
    return new Watched(options);
  });
}

/** What all kinds can do, those that take another of their kind included. */
export interface AnyFilter extends Filter {
  readonly hashes: number;
  readonly bits?: number;
  readonly counters?: number;
  union(other: AnyFilter): AnyFilter;
  intersection(other: AnyFilter): AnyFilter;
  merge(other: AnyFilter): this;
  clone(): AnyFilter;
  equals(other: AnyFilter): boolean;
}

interface Promised {
  capacity: number;
  errorRate?: number;
  seed?: number;
}

export interface AnyClass {
  new (options: Promised): AnyFilter;
  from<K extends wasmApi.Keys>(keys: K, options?: Partial<Promised>): AnyFilter;
}

/** So many cells, rounded up to whole blocks where there are such, and the hashes, of which a blocked filter has 8. */
export interface Shape {
  readonly cells: number;
  readonly hashes: number;
  readonly seed?: number;
}

function shapeOf({ bits, counters, hashes, seed }: AnyFilter): Shape {
  return { cells: bits ?? counters ?? 0, hashes, seed };
}

/** A kind of filter on an engine. */
export interface KindOnEngine {
  readonly name: string;
  readonly kind: 'classic' | 'blocked' | 'counting';
  readonly engine: Engine;
  readonly Filter: AnyClass;
  /** A filter of a shape that does not depend on a promise. */
  sized(shape: Shape): AnyFilter;
  /** The shape that a filter has, whether it was made for a promise or not. */
  shapeOf(filter: AnyFilter): Shape;
  open(shape: Shape): Opened<AnyFilter>;
  /** The bytes that such a filter has, by the oracle. */
  bytesOf(keys: Iterable<wasmApi.Key>, shape: Shape): Uint8Array;
}

/** Every kind on every engine: what holds for all of them is tested on all of them. */
export const kinds: readonly KindOnEngine[] = entries.flatMap(({ name, api, engine }): KindOnEngine[] => [
  {
    name: `${name}, classic`,
    kind: 'classic',
    engine,
    Filter: api.BloomFilter,
    shapeOf,
    sized: ({ cells, ...rest }) => new api.BloomFilter({ bits: cells, ...rest }),
    open: ({ cells, ...rest }) => open(engine, { bits: cells, ...rest }),
    bytesOf: (keys, { cells, hashes, seed = 0 }) => classicBytes(keys, cells, hashes, seed),
  },
  {
    name: `${name}, blocked`,
    kind: 'blocked',
    engine,
    Filter: api.BlockedBloomFilter,
    shapeOf,
    sized: ({ cells, seed }) => new api.BlockedBloomFilter({ bits: cells, seed }),
    open: ({ cells, seed }) => openBlocked(engine, { bits: cells, seed }),
    bytesOf: (keys, { cells, seed = 0 }) => blockedBytes(keys, Math.ceil(cells / 256), seed),
  },
  {
    name: `${name}, counting`,
    kind: 'counting',
    engine,
    Filter: api.CountingBloomFilter,
    shapeOf,
    sized: ({ cells, ...rest }) => new api.CountingBloomFilter({ counters: cells, ...rest }),
    open: ({ cells, ...rest }) => openCounting(engine, { counters: cells, ...rest }),
    bytesOf: (keys, { cells, hashes, seed = 0 }) => countingBytes(keys, cells, hashes, seed),
  },
]);
