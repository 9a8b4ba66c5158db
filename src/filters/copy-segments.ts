import { copyOf, type Region } from '../kernel/region.ts';
import { CELLS, type FilterClass } from './kind.ts';
import { type StoredFilter, wrap } from './stored-filter.ts';

/** Copies a filter of several segments. If there is no memory for all of them, frees those that were copied. */
export function copySegments<F extends StoredFilter>(filter: F): F {
  const { parameters, cellBits, own, segments } = filter[CELLS];
  const Class = filter.constructor as object as FilterClass<F>;
  const copies: Region[] = [];
  try {
    for (const region of segments) copies.push(copyOf(region, Class.engine));
  } catch (error) {
    for (const copy of copies) copy.dispose();
    throw error;
  }
  return wrap(Class, { parameters, cellBits, own, segments: copies as [Region, ...Region[]] });
}
