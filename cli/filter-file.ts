import { loadChunks } from 'bloomery';
import { CommandError, cannot, quote, say } from './errors.ts';
import { integer, rate } from './figures.ts';
import { rawChunks } from './input.ts';
import { type AnyFilter, classes } from './kinds.ts';
import { write } from './output.ts';
import { findTarget, save } from './save.ts';

/** How the library refuses what is not a saved filter of any kind. */
const NO_FILTER = 'they do not begin with BLMY';

/** A filter and the size of its file. */
export interface Loaded {
  readonly filter: AnyFilter;
  readonly bytes: number;
}

/**
 * Loads a filter of any kind, piece by piece.
 *
 * @throws CommandError if there is no such file, or no undamaged filter in it
 */
export async function loadFile(name: string): Promise<Loaded> {
  let bytes = 0;
  const chunks = rawChunks(name, (read) => {
    bytes += read;
  });
  try {
    const filter = await loadChunks(chunks, classes);
    return { filter, bytes };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (!(error as Error).message.endsWith(NO_FILTER)) throw cannot('load', name, error);
    throw new CommandError(`${quote(name)} is no filter: bloomery build makes one of a text`);
  }
}

export async function loadFilter(name: string): Promise<AnyFilter> {
  return (await loadFile(name)).filter;
}

/**
 * Finds out where a filter is to be written, and returns what writes it. `-` is stdout.
 *
 * @throws CommandError if nothing can be written there
 */
export async function filterWriter(name: string): Promise<(filter: AnyFilter) => Promise<void>> {
  if (name === '-') {
    if (process.stdout.isTTY) throw new CommandError('a filter is not written to a terminal: choose a file with -o');
    return async (filter) => {
      for (const chunk of filter.toChunks()) await write(chunk);
    };
  }
  const target = await findTarget(name);
  return (filter) => save(target, filter.toChunks());
}

/** How far the estimate may pass the capacity by chance: it varies by about √n for small filters. */
function isOverfull(estimate: number, capacity: number): boolean {
  return estimate > 1.05 * capacity + 2 * Math.sqrt(capacity);
}

/** Warns in one line if there are more keys in a filter than it was made for. */
export function warnIfOverfull(filter: AnyFilter): void {
  const { capacity, errorRate } = filter;
  const estimate = filter.estimateCount();
  // A filter for one key has the least size that there is, and room for more.
  if (!isOverfull(estimate, capacity) || filter.estimateErrorRate() <= errorRate) return;
  const keys = Number.isFinite(estimate) ? `about ${integer(estimate)} keys are` : 'far more keys are';
  say(
    `warning: ${keys} in a filter for ${integer(capacity)}: the error rate is ${rate(filter.estimateErrorRate())}, not ${rate(errorRate)}`,
  );
}
