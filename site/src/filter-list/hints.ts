// Guesses why no line of a text is in a list, from the beginnings of both.

import type { Mode } from './job.ts';

const SEPARATORS: readonly (readonly [character: string, name: string])[] = [
  ['\t', 'tabs'],
  [';', 'semicolons'],
  [',', 'commas'],
];
/** The share of lines that must look alike to say something of all. */
const MOST = 0.8;

/** The beginning of a text, as lines without the one that was cut. */
interface Beginning {
  readonly lines: readonly string[];
  readonly isUtf8: boolean;
}

function beginningOf(bytes: Uint8Array): Beginning {
  // The last line may be cut within a character.
  const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  const text = new TextDecoder().decode(whole.length > 0 ? whole : bytes);
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  return { lines, isUtf8: !text.includes('\ufffd') };
}

const most = (lines: readonly string[], test: (line: string) => boolean): boolean =>
  lines.length > 0 && lines.filter(test).length >= MOST * lines.length;

/** What divides the columns of a text; undefined if it has none. */
function separatorOf({ lines }: Beginning): string | undefined {
  return SEPARATORS.find(([character]) => most(lines, (line) => line.includes(character)))?.[1];
}

const isQuoted = (line: string): boolean => /^(["']).*\1$/.test(line);
const folded = (line: string): string => line.trim().toLowerCase();

function columnsHint(text: Beginning, list: Beginning | undefined): string | undefined {
  const [inText, inList] = [separatorOf(text), list && separatorOf(list)];
  if (inText === undefined && inList === undefined) return undefined;
  if (inText !== undefined && inList !== undefined) return `Both have columns, divided by ${inText}`;
  return inText === undefined
    ? `The second list has columns, divided by ${inList}`
    : `The lines to filter have columns, divided by ${inText}`;
}

function othersHint(text: Beginning, list: Beginning): string | undefined {
  if (text.isUtf8 !== list.isUtf8) return 'One of the two is not in UTF-8: save both in the same encoding.';
  if (most(text.lines, isQuoted) !== most(list.lines, isQuoted)) return 'The lines of one of the two are in quotes.';
  const known = new Set(list.lines.map(folded));
  return text.lines.some((line) => known.has(folded(line)))
    ? 'Some lines differ only in upper and lower case, or in spaces at their ends.'
    : undefined;
}

/** A sentence about why no line of a text is in a list; undefined if the beginnings do not tell. */
function noMatchHint(ofText: Beginning, ofList: Beginning | undefined): string | undefined {
  const columns = columnsHint(ofText, ofList);
  const reason =
    columns === undefined
      ? ofList && othersHint(ofText, ofList)
      : `${columns}, and whole lines are compared: leave one column.`;
  return reason === undefined ? undefined : `No line matches. ${reason}`;
}

/**
 * A sentence about why no line of a text is in a list, or why some of its characters are not shown; undefined if there
 * is nothing to say.
 *
 * @param kept the number of lines that were kept, of `read`
 * @param list undefined if the list is a saved filter
 */
export function hintFor(
  mode: Mode,
  { read, kept }: { readonly read: number; readonly kept: number },
  text: Uint8Array,
  list: Uint8Array | undefined,
): string | undefined {
  const found = mode === 'keep' ? kept : read - kept;
  const ofText = beginningOf(text);
  const hasNoMatch = mode !== 'once' && found === 0 && read > 0;
  const hint = hasNoMatch ? noMatchHint(ofText, list && beginningOf(list)) : undefined;
  if (hint !== undefined || ofText.isUtf8) return hint;
  return 'The lines are not in UTF-8, so � is shown here for some characters. The saved result has them as they were.';
}
