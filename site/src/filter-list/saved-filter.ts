// Loads and describes saved filters.

import { type Filter, SavedFilterError } from 'bloomery';
import { chooseEngine, type Engine, engineName, loadFilter } from '../engine.ts';
import { InputError } from './input-error.ts';
import type { FilterFacts } from './job.ts';
import { isSavedFilter } from './saved-file.ts';

export type AnyFilter = Awaited<ReturnType<typeof loadFilter>>;

/** Says why the library refused a file, without its names for arguments and classes. */
function refusal(error: SavedFilterError): InputError {
  const message =
    error.code === 'VERSION'
      ? 'It is a filter that this version of bloomery cannot read. A later one may.'
      : `It is a damaged filter: ${error.reason}.`;
  return new InputError(message, 'list', { cause: error });
}

/**
 * Loads a filter of any kind.
 *
 * @throws InputError unless the file is one whole, undamaged filter
 */
export async function openFilter(engine: Engine, file: Blob): Promise<AnyFilter> {
  if (file.size === 0) throw new InputError('It is empty.', 'list');
  if (!(await isSavedFilter(file))) {
    throw new InputError('It is not a filter that bloomery has saved. If it is a list, choose it as a list.', 'list');
  }
  try {
    return await loadFilter(engine, file);
  } catch (error) {
    throw error instanceof SavedFilterError ? refusal(error) : error;
  }
}

export function factsOf(filter: Filter, engine: Engine) {
  const { kind, capacity, errorRate, cellName, cellCount, hashes, seed, byteLength } = filter;
  return {
    kind,
    engine: engineName(engine),
    capacity,
    errorRate,
    cellName,
    cellCount,
    hashes,
    seed,
    byteLength,
    fillRatio: filter.fillRatio(),
    estimatedCount: filter.estimateCount(),
    estimatedErrorRate: filter.estimateErrorRate(),
  };
}

/** Loads a filter only to describe it, as `openFilter` does. */
export async function inspectFilter(file: Blob): Promise<FilterFacts> {
  const engine = await chooseEngine();
  const filter = await openFilter(engine, file);
  try {
    return factsOf(filter, engine);
  } finally {
    filter.dispose();
  }
}
