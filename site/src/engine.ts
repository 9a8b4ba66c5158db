// The engine that works here: WebAssembly, or plain JavaScript where WebAssembly is refused.

import type { ByteSource } from 'bloomery';
import { chooseEngine } from 'bloomery/auto';
import { type LoadableClass, loadAny } from 'bloomery/load';

export { chooseEngine };
export type Engine = Awaited<ReturnType<typeof chooseEngine>>;

export function engineName({ BloomFilter }: Engine): 'wasm' | 'js' {
  return BloomFilter.engine.name;
}

/** The kinds that entries of their own export. */
async function otherKinds(engine: Engine) {
  const [wide, fuse] =
    engineName(engine) === 'wasm'
      ? await Promise.all([import('bloomery/wide'), import('bloomery/fuse')])
      : await Promise.all([import('bloomery/wide/js'), import('bloomery/fuse/js')]);
  return [wide.WideBlockedBloomFilter, fuse.BinaryFuseFilter] as const;
}

/** Loads a saved filter of any kind. */
export async function loadFilter(engine: Engine, file: ByteSource) {
  const { BloomFilter, BlockedBloomFilter, CountingBloomFilter } = engine;
  const classes = [BloomFilter, BlockedBloomFilter, CountingBloomFilter, ...(await otherKinds(engine))];
  return loadAny<LoadableClass>(classes, file);
}
