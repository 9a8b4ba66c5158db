import { loadAny } from 'bloomery/load';
import { CommandError, cannot, quote, say } from './errors.ts';
import { integer, rate } from './figures.ts';
import { rawChunks } from './input.ts';
import { type AnyFilter, classes } from './kinds.ts';
import { write } from './output.ts';
import { findTarget, save } from './save.ts';

/** The end of the library's error message for bytes that are not a saved filter. */
const NO_FILTER = 'they do not begin with BLMY';

/** A filter and the size of its file. */
export interface Loaded {
  readonly filter: AnyFilter;
  readonly bytes: number;
}

/**
 * Loads a filter of any kind in chunks.
 *
 * @throws CommandError if the file does not exist or does not contain an undamaged filter
 */
export async function loadFile(name: string): Promise<Loaded> {
  let bytes = 0;
  const chunks = rawChunks(name, (read) => {
    bytes += read;
  });
  try {
    const filter = await loadAny(classes, chunks);
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
 * Checks where a filter is to be written, and returns a function that writes it. `-` is stdout.
 *
 * @throws CommandError if the filter cannot be written there
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

/** Allows the estimate to exceed the capacity by chance: for small filters, it varies by about √n. */
function isOverfull(estimate: number, capacity: number): boolean {
  return estimate > 1.05 * capacity + 2 * Math.sqrt(capacity);
}

/** Warns in one line if a filter holds more keys than it was made for. */
export function warnIfOverfull(filter: AnyFilter): void {
  const { capacity, errorRate } = filter;
  const estimate = filter.estimateCount();
  // Check the error rate too: a filter for one key has the smallest possible size, with room for more.
  if (!isOverfull(estimate, capacity) || filter.estimateErrorRate() <= errorRate) return;
  const keys = Number.isFinite(estimate) ? `about ${integer(estimate)} keys are` : 'far more keys are';
  say(
    `warning: ${keys} in a filter for ${integer(capacity)}: the error rate is ${rate(filter.estimateErrorRate())}, not ${rate(errorRate)}`,
  );
}
