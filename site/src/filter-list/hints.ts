// Guesses why no line of a text is in a list, from the beginnings of both.

import type { Input, Job } from './job.ts';
import type { TextFile } from './text-file.ts';

/** The share of lines that must look alike to say something of all. */
const MOST = 0.8;

type Beginning = Pick<TextFile, 'start' | 'isUtf8'>;

/** The beginning of a text, as lines without the one that was cut. */
function linesOf({ start }: Beginning): string[] {
  // The last line may be cut within a character.
  const whole = start.subarray(0, start.lastIndexOf(10) + 1);
  const text = new TextDecoder().decode(whole.length > 0 ? whole : start);
  return text.split(/\r?\n/).filter((line) => line !== '');
}

const areQuoted = (lines: readonly string[]): boolean =>
  lines.length > 0 && lines.filter((line) => /^(["']).*\1$/.test(line)).length >= MOST * lines.length;
const folded = (line: string): string => line.trim().toLowerCase();

/** Whether all of each record is compared, where it has columns. */
function isWhole({ reading }: Input): boolean {
  return reading !== undefined && reading.form !== 'lines' && reading.fields.length + reading.members.length === 0;
}

function reasonOf({ text, list, trim, ignoreCase }: Job, ofText: Beginning, ofList: Beginning): string | undefined {
  if (isWhole(text) || (list && isWhole(list))) return 'Whole records are compared: tick the column to compare.';
  if (ofText.isUtf8 !== ofList.isUtf8) return 'One of the two is not in UTF-8.';
  const [lines, others] = [linesOf(ofText), linesOf(ofList)];
  if (areQuoted(lines) !== areQuoted(others)) return 'The lines of one of the two are in quotes.';
  const known = new Set(others.map(folded));
  return !(trim && ignoreCase) && lines.some((line) => known.has(folded(line)))
    ? 'Some lines differ only in upper and lower case, or in blanks at their ends.'
    : undefined;
}

/**
 * A sentence about why no line of a text is in a list, or why some of its characters are not shown; empty if there is
 * nothing to say.
 *
 * @param kept the number of lines that were kept, of `read`
 * @param ofList undefined if there is none, or it is a saved filter
 */
export function hintFor(
  job: Job,
  { read, kept }: { readonly read: number; readonly kept: number },
  ofText: Beginning,
  ofList: Beginning | undefined,
): string {
  const found = job.mode === 'keep' ? kept : read - kept;
  const hasNoMatch = job.mode !== 'once' && found === 0 && read > 0;
  const reason = hasNoMatch ? reasonOf(job, ofText, ofList ?? ofText) : undefined;
  if (reason !== undefined) return `No line matches. ${reason}`;
  return ofText.isUtf8
    ? ''
    : 'The lines are not in UTF-8, so � is shown here for some characters. The saved result has them as they were.';
}
