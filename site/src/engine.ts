// The engine that works here: WebAssembly, or plain JavaScript where WebAssembly is refused.

import type { ByteSource, Filter } from 'bloomery';
import { chooseEngine } from 'bloomery/auto';
import { type LoadableClass, loadAny } from 'bloomery/load';

export { chooseEngine };
export type Engine = Awaited<ReturnType<typeof chooseEngine>>;

export function engineName({ BloomFilter }: Engine): 'wasm' | 'js' {
  return BloomFilter.engine.name;
}

/** The entries of kinds, on each engine. A new kind is a row. */
const kinds = {
  wide: { wasm: () => import('bloomery/wide'), js: () => import('bloomery/wide/js') },
  fuse: { wasm: () => import('bloomery/fuse'), js: () => import('bloomery/fuse/js') },
  'sharded-fuse': { wasm: () => import('bloomery/sharded-fuse'), js: () => import('bloomery/sharded-fuse/js') },
  cuckoo: { wasm: () => import('bloomery/cuckoo'), js: () => import('bloomery/cuckoo/js') },
  dleft: { wasm: () => import('bloomery/dleft'), js: () => import('bloomery/dleft/js') },
  scalable: { wasm: () => import('bloomery/scalable'), js: () => import('bloomery/scalable/js') },
  rotating: { wasm: () => import('bloomery/rotating'), js: () => import('bloomery/rotating/js') },
  spatial: { wasm: () => import('bloomery/spatial'), js: () => import('bloomery/spatial/js') },
  stable: { wasm: () => import('bloomery/stable'), js: () => import('bloomery/stable/js') },
  tombstone: { wasm: () => import('bloomery/tombstone'), js: () => import('bloomery/tombstone/js') },
  'fuse-map': { wasm: () => import('bloomery/fuse-map'), js: () => import('bloomery/fuse-map/js') },
  'fingerprint-set': {
    wasm: () => import('bloomery/fingerprint-set'),
    js: () => import('bloomery/fingerprint-set/js'),
  },
};
const entries = {
  ...kinds,
  hash: { wasm: () => import('bloomery/hash'), js: () => import('bloomery/hash/js') },
  keyed: { wasm: () => import('bloomery/keyed'), js: () => import('bloomery/keyed/js') },
};
type Entries = typeof entries;

/** An entry of the library on this engine. */
export function entryOn<N extends keyof Entries>(engine: Engine, name: N): ReturnType<Entries[N]['wasm' | 'js']> {
  return entries[name][engineName(engine)]() as ReturnType<Entries[N]['wasm' | 'js']>;
}

/** The error rate above which a blocked filter is smaller than a wide one. Both read one cache line for each key. */
const LEAST_BLOCKED = 0.0007;

/**
 * Makes a filter of the fastest kind for an error rate, of 10^-8 or above.
 *
 * @throws RangeError if it is too large
 */
export async function makeFilter(engine: Engine, capacity: number, errorRate: number) {
  const { BlockedBloomFilter } = engine;
  if (errorRate >= LEAST_BLOCKED) return new BlockedBloomFilter({ capacity, errorRate });
  const { WideBlockedBloomFilter } = await entryOn(engine, 'wide');
  return new WideBlockedBloomFilter({ capacity, errorRate });
}

/** Makes an exact set. It grows, so it needs no capacity. */
export async function makeSet(engine: Engine) {
  const { FingerprintSet } = await entryOn(engine, 'fingerprint-set');
  return new FingerprintSet();
}

/** The formula for the error rate of what `makeFilter` or `makeSet` has made, by the number of its keys. */
export async function expectedRateOf(engine: Engine, filter: Filter): Promise<(count: number) => number> {
  const { cellCount, kind } = filter;
  if (kind === 'fingerprint-set') return (await entryOn(engine, kind)).FingerprintSet.traits.leastErrorRate;
  if (filter instanceof engine.BlockedBloomFilter) return (count) => engine.expectedBlockedErrorRate(count, cellCount);
  const { expectedWideBlockedErrorRate } = await entryOn(engine, 'wide');
  return (count) => expectedWideBlockedErrorRate(count, cellCount);
}

const isFilterClass = (exported: unknown): exported is LoadableClass =>
  typeof exported === 'function' && 'traits' in exported;

/** Loads a saved filter of any kind. */
export async function loadFilter(engine: Engine, file: ByteSource) {
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  const modules = await Promise.all(names.map((name) => entryOn(engine, name)));
  const classes = [engine, ...modules].flatMap((module) => Object.values(module).filter(isFilterClass));
  return loadAny<LoadableClass>(classes, file);
}
