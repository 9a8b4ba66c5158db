// The engine that works here: WebAssembly, or plain JavaScript where WebAssembly is refused.

import type { ByteSource } from 'bloomery';
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

/** The kinds that entries of their own export, on this engine. */
async function otherKinds(engine: Engine) {
  const isWasm = engineName(engine) === 'wasm';
  const [wide, fuse, cuckoo, scalable, rotating] = await Promise.all([
    wideOf(engine),
    isWasm ? import('bloomery/fuse') : import('bloomery/fuse/js'),
    isWasm ? import('bloomery/cuckoo') : import('bloomery/cuckoo/js'),
    isWasm ? import('bloomery/scalable') : import('bloomery/scalable/js'),
    isWasm ? import('bloomery/rotating') : import('bloomery/rotating/js'),
  ]);
  return [
    wide.WideBlockedBloomFilter,
    fuse.BinaryFuseFilter,
    cuckoo.CuckooFilter,
    scalable.ScalableBloomFilter,
    rotating.RotatingBloomFilter,
  ];
}

/** Above this error rate a blocked filter is smaller than a wide one. Both look at one cache line for each key. */
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

/** The formula for the error rate of filters that `makeFilter` makes, with so many keys. */
export async function expectedRateOf(
  engine: Engine,
  { kind, cellCount }: { readonly kind: string; readonly cellCount: number },
): Promise<(count: number) => number> {
  if (kind === 'blocked') return (count) => engine.expectedBlockedErrorRate(count, cellCount);
  const { expectedWideBlockedErrorRate } = await wideOf(engine);
  return (count) => expectedWideBlockedErrorRate(count, cellCount);
}

/** Loads a saved filter of any kind. */
export async function loadFilter(engine: Engine, file: ByteSource) {
  const { BloomFilter, BlockedBloomFilter, CountingBloomFilter } = engine;
  const classes = [BloomFilter, BlockedBloomFilter, CountingBloomFilter, ...(await otherKinds(engine))];
  return loadAny<LoadableClass>(classes, file);
}
