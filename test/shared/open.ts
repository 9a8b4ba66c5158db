// Access to what users do not see of a filter: its engine and its memory.

import type { Engine, Region } from '../../src/kernel/region.ts';
import type { AnyClass, AnyFilter } from './kinds.ts';

/** A filter and its memory. */
export interface Opened<F> {
  readonly filter: F;
  readonly region: Region;
  /** A copy of the filter's cells, as bytes. */
  bytes(): Uint8Array;
}

/** A subclass that runs on another engine. */
export function classOn<C extends object>(Core: C, engine: Engine): C {
  class OnEngine extends (Core as object as AnyClass) {
    static override readonly engine = engine;
  }
  return OnEngine as object as C;
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
