// Shared by build, add and merge.

import { CommandError, tell } from './errors.ts';
import { byteSize, integer, plural, rate } from './figures.ts';
import { warnIfOverfull } from './filter-file.ts';
import { canBeFull, refusalOf } from './full.ts';
import type { Inputs } from './input.ts';
import type { TextKeys } from './keys.ts';
import { type AnyFilter, type GrowingFilter, makeFilterOf, type Wanted } from './kinds.ts';
import { withProgress } from './progress.ts';
import { countRecords, keysOf, type TextFormat, warnIfLacking } from './records.ts';
import { join, readPieces, unmarked } from './text.ts';

/**
 * @param before the number of lines before these
 * @throws CommandError if a filter that can be full has no room for a key
 */
function addKeys(filter: GrowingFilter, keys: TextKeys, before: number): void {
  try {
    filter.addMany(keys);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    const { reason, position } = refusal;
    const hint = /^its/.test(reason)
      ? 'leave out repeated lines, with bloomery dedupe'
      : 'build one with a larger --capacity';
    throw new CommandError(`line ${integer(before + position + 1)} does not fit: ${reason}; ${hint}`, { cause: error });
  }
}

/** Adds all lines of the inputs to a filter that will be saved as `output`. */
export async function addLines(
  filter: GrowingFilter,
  inputs: Inputs,
  format: TextFormat,
  output: string,
): Promise<void> {
  const pieces = withProgress(readPieces(inputs, format.separator), inputs, format, output === '-');
  let before = 0;
  for await (const { bytes } of pieces) {
    addKeys(filter, keysOf(bytes, format), before);
    if (canBeFull(filter)) before += countRecords(bytes, format);
  }
  warnIfLacking(format);
}

/** Makes a filter of all lines of the inputs at once, which keeps them in memory, and will be saved as `output`. */
export async function filterOf(
  inputs: Inputs,
  format: TextFormat,
  output: string,
  wanted: Omit<Wanted, 'capacity'>,
): Promise<AnyFilter> {
  const parts: Uint8Array[] = [];
  const pieces = withProgress(readPieces(inputs, format.separator), inputs, format, output === '-');
  for await (const bytes of join(unmarked(pieces), format)) parts.push(bytes.slice());
  const filter = makeFilterOf(keysOf(Buffer.concat(parts), format), wanted);
  warnIfLacking(format);
  return filter;
}

/** Says what was saved, and whether the filter holds too much. */
export function reportSaved(filter: AnyFilter, output: string): void {
  warnIfOverfull(filter);
  tell(() => {
    const { kind, byteLength } = filter;
    const made = `${kind} filter, ${byteSize(byteLength)}, error rate ${rate(filter.estimateErrorRate())}`;
    const count = filter.estimateCount();
    const keys = Number.isFinite(count) ? `about ${plural(count, 'key')}` : 'more keys than can be estimated';
    return `${output === '-' ? 'stdout' : output}: ${made}, ${keys}`;
  });
}
