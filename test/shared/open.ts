// Access to what users do not see of a filter: its engine, and the memory that it reserves.

import type { Engine, Region } from '../../src/kernel/region.ts';
import { FilterMemoryError } from '../../src/util/checks/errors.ts';
import type { AnyClass } from './kinds.ts';

/** A subclass that runs on another engine. */
export function classOn<C extends object>(Core: C, engine: Engine): C {
  class OnEngine extends (Core as object as AnyClass) {
    static override readonly engine = engine;
  }
  return OnEngine as object as C;
}

/** An engine that records the regions it reserves, and the lengths of those that were not disposed of. */
export function watched(engine: Engine): { engine: Engine; regions: Region[]; left(): number[] } {
  const regions: Region[] = [];
  const reserve: Engine['reserve'] = (byteLength, grows) => {
    const region = engine.reserve(byteLength, grows);
    regions.push(region);
    return region;
  };
  const left = () => regions.filter(({ disposed }) => !disposed).map(({ byteLength }) => byteLength);
  return { engine: { ...engine, reserve }, regions, left };
}

/** An engine that has no memory for some regions: those for whose lengths, and whether they grow, this holds. */
export function withoutMemory(engine: Engine, isRefused: (byteLength: number, grows?: boolean) => unknown): Engine {
  const reserve: Engine['reserve'] = (byteLength, grows) => {
    if (isRefused(byteLength, grows)) throw new FilterMemoryError('no memory', byteLength);
    return engine.reserve(byteLength, grows);
  };
  return { ...engine, reserve };
}
