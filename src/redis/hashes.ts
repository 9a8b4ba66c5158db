// Keys become hashes. The blocked kind uses only the first 64 bits of a key's 128-bit hash: the low word for the bits,
// the high word for the block.

import { KeyReader } from '../filters/key-reader.ts';
import { wasmElse } from '../kernel/engine-wasm.ts';
import type { Engine, Region } from '../kernel/region.ts';
import { hashLongString } from '../keys/encode.ts';

/** The engine of all filters in Redis without a secret. */
export const engine: Engine = /* @__PURE__ */ wasmElse('bloomery/redis cannot run without it');

const regions = /* @__PURE__ */ new WeakMap<Engine, Region>();

/** The memory that hashes the keys of all filters of an engine. */
function hashingRegion(hashing: Engine): Region {
  const region = regions.get(hashing) ?? hashing.reserve(1);
  regions.set(hashing, region);
  return region;
}

/** A hash of a text, under no secret: 16 hexadecimal digits. */
export function digestOf(text: string): string {
  const { instance } = hashingRegion(engine);
  hashLongString(text, instance, 0);
  const view = new DataView(instance.memory.buffer, instance.scratch.hashes);
  return view.getBigUint64(0, true).toString(16).padStart(16, '0');
}

/** How the keys of a filter are hashed. */
export interface Hash {
  readonly engine: Engine;
  readonly seed: number;
}

/**
 * Reads the keys of one call, and hashes them: two words for each.
 *
 * @param holds whether `keep` is called after each part
 */
export function readKeys(keys: unknown, hash: Hash, holds = false): KeyReader {
  return new KeyReader(keys, { region: hashingRegion(hash.engine), seed: hash.seed }, 2, holds);
}
