// The engine that works here: WebAssembly, or plain JavaScript where WebAssembly is refused.

import type { ByteSource, Filter } from 'bloomery';
import { chooseEngine } from 'bloomery/auto';
import { type LoadableClass, loadAny } from 'bloomery/load';

export { chooseEngine };
export type Engine = Awaited<ReturnType<typeof chooseEngine>>;

export function engineName({ BloomFilter }: Engine): 'wasm' | 'js' {
  return BloomFilter.engine.name;
}

/** `bloomery/wide` on this engine. */
function wideOf(engine: Engine) {
  return engineName(engine) === 'wasm' ? import('bloomery/wide') : import('bloomery/wide/js');
}

/** `bloomery/stable` on this engine. */
export function stableOf(engine: Engine) {
  return engineName(engine) === 'wasm' ? import('bloomery/stable') : import('bloomery/stable/js');
}

/** `bloomery/cuckoo` on this engine. */
export function cuckooOf(engine: Engine) {
  return engineName(engine) === 'wasm' ? import('bloomery/cuckoo') : import('bloomery/cuckoo/js');
}

/** `bloomery/dleft` on this engine. */
export function dleftOf(engine: Engine) {
  return engineName(engine) === 'wasm' ? import('bloomery/dleft') : import('bloomery/dleft/js');
}

/** `bloomery/spatial` on this engine. */
export function spatialOf(engine: Engine) {
  return engineName(engine) === 'wasm' ? import('bloomery/spatial') : import('bloomery/spatial/js');
}

/** `bloomery/fuse` on this engine. */
export function fuseOf(engine: Engine) {
  return engineName(engine) === 'wasm' ? import('bloomery/fuse') : import('bloomery/fuse/js');
}

/** `bloomery/rotating` on this engine. */
export function rotatingOf(engine: Engine) {
  return engineName(engine) === 'wasm' ? import('bloomery/rotating') : import('bloomery/rotating/js');
}

/** The classes of the kinds with entries of their own, on this engine. */
async function otherKinds(engine: Engine) {
  const isWasm = engineName(engine) === 'wasm';
  const [wide, fuse, sharded, cuckoo, dleft, scalable, rotating, spatial, stable, tombstone] = await Promise.all([
    wideOf(engine),
    fuseOf(engine),
    isWasm ? import('bloomery/sharded-fuse') : import('bloomery/sharded-fuse/js'),
    cuckooOf(engine),
    dleftOf(engine),
    isWasm ? import('bloomery/scalable') : import('bloomery/scalable/js'),
    rotatingOf(engine),
    spatialOf(engine),
    stableOf(engine),
    isWasm ? import('bloomery/tombstone') : import('bloomery/tombstone/js'),
  ]);
  return [
    wide.WideBlockedBloomFilter,
    fuse.BinaryFuseFilter,
    sharded.ShardedFuseFilter,
    cuckoo.CuckooFilter,
    dleft.DLeftCountingBloomFilter,
    scalable.ScalableBloomFilter,
    rotating.RotatingBloomFilter,
    spatial.SpatialBloomFilter,
    stable.StableBloomFilter,
    tombstone.TombstoneFilter,
  ];
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
  const { WideBlockedBloomFilter } = await wideOf(engine);
  return new WideBlockedBloomFilter({ capacity, errorRate });
}

/** The formula for the error rate of a filter that `makeFilter` has made, by the number of its keys. */
export async function expectedRateOf(engine: Engine, filter: Filter): Promise<(count: number) => number> {
  const { cellCount } = filter;
  if (filter instanceof engine.BlockedBloomFilter) return (count) => engine.expectedBlockedErrorRate(count, cellCount);
  const { expectedWideBlockedErrorRate } = await wideOf(engine);
  return (count) => expectedWideBlockedErrorRate(count, cellCount);
}

/** Loads a saved filter of any kind. */
export async function loadFilter(engine: Engine, file: ByteSource) {
  const { BloomFilter, BlockedBloomFilter, CountingBloomFilter } = engine;
  const classes = [BloomFilter, BlockedBloomFilter, CountingBloomFilter, ...(await otherKinds(engine))];
  return loadAny<LoadableClass>(classes, file);
}
