import * as core from '../src/filters/bloom.ts';
import * as wasmApi from '../src/index.ts';
import * as jsApi from '../src/js.ts';
import { js } from '../src/kernel/js.ts';
import type { Engine } from '../src/kernel/kernel.ts';
import type { Region } from '../src/kernel/region.ts';
import { wasm } from '../src/kernel/wasm.ts';

/** Both entries of the package: one body of tests runs on both. */
export const entries = [
  { name: 'wasm', api: wasmApi, engine: wasm },
  { name: 'js', api: jsApi, engine: js },
] as const;

/** A filter and the bytes of its cells, which a user cannot see. */
export function open(
  engine: Engine,
  options: core.BloomFilterOptions,
): { filter: core.BloomFilter; bytes(): Uint8Array } {
  const regions: Region[] = [];
  class Watched extends core.BloomFilter {
    static override readonly engine: Engine = {
      ...engine,
      reserve(byteLength) {
        const region = engine.reserve(byteLength);
        regions.push(region);
        return region;
      },
    };
  }
  const filter = new Watched(options);
  const [region] = regions;
  if (region === undefined) throw new Error('no region was reserved');
  return { filter, bytes: () => region.bytes.slice(0, region.byteLength) };
}
