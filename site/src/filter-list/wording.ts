// The texts of the page, by mode.

import { byteSize, integer, oneIn, percent, plural, short, timeLeft } from '../format.ts';
import {
  type FilterFacts,
  isExact,
  MOST_SET_BYTES,
  type Mode,
  type Progress,
  type Result,
  type Source,
} from './job.ts';

interface Words {
  readonly kept: string;
  readonly dropped: string;
  /** The meaning of the chosen share of wrong lines. */
  readonly rate: string;
  /** What the number of wrong lines is called, and what it is a part of. */
  readonly error: string;
  readonly outOf: string;
  /** The suffix of the result's file name. */
  readonly suffix: string;
}

/** The words of the modes that look lines up in a list. */
const byList = (done: 'kept' | 'dropped') => ({
  dropped: 'lines dropped',
  rate: `Every line that is in the list is ${done}. Of the others, this share is ${done} as well, on average.`,
  error: `Lines ${done} by error, on average`,
  outOf: done,
});

export const words: Readonly<Record<Mode, Words>> = {
  keep: { ...byList('kept'), kept: 'lines kept', suffix: 'kept' },
  drop: { ...byList('dropped'), kept: 'lines left', suffix: 'left' },
  once: {
    kept: 'different lines',
    dropped: 'repetitions',
    rate: 'No line comes twice. Of the different lines, this share or less is lost, on average.',
    error: 'Lines lost by error, on average',
    outOf: 'different lines',
    suffix: 'unique',
  },
};

/** A large set takes at most about 21 bytes for a line. */
const MOST_SET_LINES = Number((MOST_SET_BYTES / 21).toPrecision(2));

/** What the choice of a share of wrong lines means. */
export function rateText(mode: Mode, errorRate: number, saved: FilterFacts | undefined): string {
  if (saved !== undefined && isExact(saved)) return 'A saved set is exact.';
  if (saved !== undefined) return 'A saved filter has an error rate of its own.';
  if (errorRate > 0) return words[mode].rate;
  return `Exact, up to about ${integer(MOST_SET_LINES)} different lines. With more, a filter takes over, and 1 line in 1,000,000 is wrong, on average.`;
}

/** What a file of the list holds. */
export function savedText(facts: FilterFacts): string {
  const { kind, capacity } = facts;
  if (isExact(facts)) return `an exact set of ${plural(capacity, 'key')}`;
  return `a ${kind} filter, made for ${plural(capacity, 'key')}`;
}

/** The expected number of wrong lines: lines that look present though they are absent. */
export function expectedErrors(mode: Mode, { read, kept, lost, filter }: Result): number {
  if (mode === 'once') return lost;
  const rate = Math.min(filter.estimatedErrorRate, 0.999_999);
  const lookedAbsent = mode === 'keep' ? read - kept : kept;
  return (lookedAbsent * rate) / (1 - rate);
}

/** Below this, the exact rate says nothing to anybody. */
const RAREST = 1e-12;

/** `1 in 10,000`, or for a rate that small filters for few lines have: `less than 1 in a trillion`. */
function chanceOf(rate: number): string {
  return rate > 0 && rate < RAREST ? 'less than 1 in a trillion' : oneIn(rate);
}

/** `Lines lost by error, on average: 0.86 of 3,417,497 different lines`, and at which error rate; or how certain a set is. */
export function expectedErrorsText(mode: Mode, result: Result): string {
  const { read, kept, filter } = result;
  const wrong = expectedErrors(mode, result);
  if (isExact(filter)) {
    return wrong === 0 ? 'Exact.' : `Exact: the chance that any line is wrong is ${chanceOf(wrong)}.`;
  }
  const all = mode === 'drop' ? read - kept : kept;
  const { error, outOf } = words[mode];
  const expected = `${error}: ${short(Number(wrong.toPrecision(2)))} of ${integer(all)} ${outOf}`;
  const rate = chanceOf(filter.estimatedErrorRate);
  return mode === 'once'
    ? `${expected}, while the error rate rises to ${rate}.`
    : `${expected}, at the filter’s error rate of ${rate}.`;
}

/** The names of the two inputs. The list is undefined if each line is to come once. */
export interface InputNames {
  readonly text: string;
  readonly list: string | undefined;
  /** The columns that are compared; empty for all of a record. */
  readonly by: string;
}

/** Which lines a run gives: `The lines of urls.txt that are in seen.txt`, or `… of users.csv, each once, by email`. */
export function titleOf(mode: Mode, { text, list, by }: InputNames): string {
  const compared = by === '' ? '' : `, by ${by}`;
  if (mode === 'once') return `The lines of ${text}, each once${compared}`;
  return `The lines of ${text} that are ${mode === 'keep' ? '' : 'not '}in ${list}${compared}`;
}

const phases: Readonly<Record<Progress['phase'], string>> = {
  build: 'Reading the second list',
  again: 'Reading again: more lines than expected',
  filter: 'Filtering',
};

/** How far a run is after so many seconds, how fast it is, and how long it will take. */
export function progressText({ phase, bytes, totalBytes, lines }: Progress, seconds: number): string {
  return [
    phases[phase],
    `${byteSize(bytes)} of ${byteSize(totalBytes)}`,
    `${integer(Number((lines / seconds).toPrecision(3)))} lines/s`,
    ...(bytes > 0 ? [`${timeLeft((seconds * (totalBytes - bytes)) / bytes)} left`] : []),
  ].join(' · ');
}

/** The names of the inputs on the page. */
const sources: Readonly<Record<Source, string>> = { text: 'Lines to filter', list: 'Second list' };

export const UNLOADED = 'A script of this page did not load.';

export function failureText(message: string, source: Source | undefined): string {
  return source === undefined ? `Failed: ${message}` : `Failed. ${sources[source]}: ${message}`;
}

/** Names and values. */
export type Rows = readonly (readonly [name: string, value: string])[];

/** The facts about a filter that its user may want to know. */
export function factRows(filter: FilterFacts): Rows {
  const { kind, capacity, errorRate, byteLength, fillRatio, estimatedCount, estimatedErrorRate } = filter;
  const about = Number.isFinite(estimatedCount) ? `about ${integer(estimatedCount)}` : 'more than can be estimated';
  const promise: Rows = [
    ['made for', plural(capacity, 'key')],
    ['at an error rate of', chanceOf(errorRate)],
  ];
  return [
    ['kind', kind],
    ...(isExact(filter) ? [] : promise),
    ['size', byteSize(byteLength)],
    ['fill', percent(fillRatio)],
    ['keys in it', isExact(filter) ? integer(capacity) : about],
    ['error rate now', chanceOf(estimatedErrorRate)],
  ];
}

/** The parameters with which the same filter can be made again. */
export function detailRows({ cellName, cellCount, hashes, seed }: FilterFacts): Rows {
  return [
    [cellName, integer(cellCount)],
    ['hashes', short(hashes)],
    ['seed', integer(seed)],
  ];
}

/** The name without what says that the file is packed. */
const unpackedName = (name: string): string => name.replace(/(.)\.gz$/i, '$1');

/** `urls.txt` becomes `urls-kept.txt`. */
export function resultName(name: string, mode: Mode): string {
  const [, base = name, extension = '.txt'] = /^(.+?)(\.[^.]{1,8})?$/.exec(unpackedName(name)) ?? [];
  return `${base}-${words[mode].suffix}${extension}`;
}

/** `urls.txt` becomes `urls.bloom`. */
export function filterName(name: string): string {
  return `${unpackedName(name).replace(/\.[^.]{1,8}$/, '') || 'list'}.bloom`;
}
