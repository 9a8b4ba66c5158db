// Guesses why no line of a text is in a list, from the beginnings of both.

import type { Input, Job } from './job.ts';

/** The lines of a beginning, but for case and blanks. */
function linesIn(start: Uint8Array): string[] {
  const lines = new TextDecoder().decode(start).split('\n');
  return lines.flatMap((line) => line.trim().toLowerCase() || []);
}

/** Whether all of each record is compared, where it has columns. */
function isWhole({ reading }: Input): boolean {
  return reading !== undefined && reading.form !== 'lines' && reading.fields.length + reading.members.length === 0;
}

/**
 * A sentence about why no line of a text is in a list; empty if there is nothing to say.
 *
 * @param found the number of lines that are in the list
 * @param start the beginning of the text
 * @param ofList the beginning of the list; undefined if it is a saved filter
 */
export function hintFor(
  { text, list, trim, ignoreCase }: Job,
  found: number,
  start: Uint8Array,
  ofList: Uint8Array | undefined,
): string {
  if (list === undefined || found > 0) return '';
  if (isWhole(text) || isWhole(list)) return 'No line matches. Whole records are compared: tick the column to compare.';
  const known = new Set(linesIn(ofList ?? new Uint8Array(0)));
  return !(trim && ignoreCase) && linesIn(start).some((line) => known.has(line))
    ? 'No line matches. Some differ only in upper and lower case, or in blanks at their ends.'
    : '';
}
