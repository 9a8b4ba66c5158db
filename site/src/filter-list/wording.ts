// The texts of the page, by mode.

import { byteSize, integer, oneIn, percent, plural, short, timeLeft } from '../format.ts';
import type { FilterFacts, Mode, Progress, Result, Source } from './job.ts';
import type { Reading } from './meter.ts';

interface Words {
  readonly kept: string;
  readonly dropped: string;
  /** The meaning of the chosen share of wrong lines. */
  readonly rate: string;
  /** What happens to a line in error. */
  readonly error: string;
  /** The suffix of the result's file name. */
  readonly suffix: string;
}

export const words: Readonly<Record<Mode, Words>> = {
  keep: {
    kept: 'lines kept',
    dropped: 'lines dropped',
    rate: 'Every line that is in the list is kept. Of the others, at most this share is kept as well.',
    error: 'kept that the list does not have',
    suffix: 'kept',
  },
  drop: {
    kept: 'lines left',
    dropped: 'lines dropped',
    rate: 'Every line that is in the list is dropped. Of the others, at most this share is dropped as well.',
    error: 'dropped that the list does not have',
    suffix: 'left',
  },
  once: {
    kept: 'different lines',
    dropped: 'repetitions',
    rate: 'No line comes twice. Of the different lines, at most this share is lost.',
    error: 'lost that had not occurred before',
    suffix: 'unique',
  },
};

/** The expected number of wrong lines: lines that look present though they are absent. */
export function expectedErrors(mode: Mode, { read, kept, lost, filter }: Result): number {
  if (mode === 'once') return lost;
  const rate = Math.min(filter.estimatedErrorRate, 0.999_999);
  const lookedAbsent = mode === 'keep' ? read - kept : kept;
  return (lookedAbsent * rate) / (1 - rate);
}

/** The expected number in words: `about 2 lines are`; for less than half a line, `probably no line is`. */
function aboutLines(expected: number): string {
  if (expected < 0.5) return 'probably no line is';
  return `about ${plural(expected, 'line')} ${expected < 1.5 ? 'is' : 'are'}`;
}

export function expectedErrorsText(mode: Mode, result: Result): string {
  const rate = oneIn(result.filter.estimatedErrorRate);
  const at = mode === 'once' ? `While the error rate rises to ${rate}` : `At the filter's error rate of ${rate}`;
  return `${at}, ${aboutLines(expectedErrors(mode, result))} ${words[mode].error}.`;
}

const phases: Readonly<Record<Progress['phase'], string>> = {
  build: 'Reading the second list',
  again: 'Reading again: more lines than expected',
  filter: 'Filtering',
};

export function progressText({ phase, bytes, totalBytes }: Progress, { linesPerSecond, secondsLeft }: Reading): string {
  const parts = [
    phases[phase],
    `${byteSize(bytes)} of ${byteSize(totalBytes)}`,
    `${integer(Number(linesPerSecond.toPrecision(3)))} lines/s`,
    Number.isFinite(secondsLeft) ? `${timeLeft(secondsLeft)} left` : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** The names of the inputs on the page. */
const sources: Readonly<Record<Source, string>> = { text: 'Lines to filter', list: 'Second list' };

export function failureText(message: string, source: Source | undefined): string {
  return source === undefined ? `Failed: ${message}` : `Failed. ${sources[source]}: ${message}`;
}

/** The facts about a filter, as names and values. */
export function factRows(filter: FilterFacts): readonly (readonly [string, string])[] {
  const { kind, capacity, errorRate, cellName, cellCount, hashes, seed, byteLength } = filter;
  const { fillRatio, estimatedCount, estimatedErrorRate } = filter;
  return [
    ['kind', kind],
    ['made for', plural(capacity, 'key')],
    ['at an error rate of', oneIn(errorRate)],
    ['size', byteSize(byteLength)],
    [cellName, integer(cellCount)],
    ['hashes', short(hashes)],
    ['seed', integer(seed)],
    ['fill', percent(fillRatio)],
    ['keys in it', Number.isFinite(estimatedCount) ? `about ${integer(estimatedCount)}` : 'more than can be estimated'],
    ['error rate now', oneIn(estimatedErrorRate)],
  ];
}

/** `urls.txt` becomes `urls-kept.txt`. */
export function resultName(name: string, mode: Mode): string {
  const [, base = name, extension = '.txt'] = /^(.+?)(\.[^.]{1,8})?$/.exec(name) ?? [];
  return `${base}-${words[mode].suffix}${extension}`;
}

/** `urls.txt` becomes `urls.bloom`. */
export function filterName(name: string): string {
  return `${name.replace(/\.[^.]{1,8}$/, '') || 'list'}.bloom`;
}
