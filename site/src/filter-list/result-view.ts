// What the panel of results shows, as values. Each state is whole, so that nothing of an earlier run stays.

import { duration, integer } from '../format.ts';
import type { FilterFacts, Mode, Result } from './job.ts';
import { detailRows, expectedErrorsText, factRows, type InputNames, type Rows, titleOf, words } from './wording.ts';

export interface ResultView {
  /** Which lines these are. */
  readonly title: string;
  readonly keptName: string;
  readonly droppedName: string;
  readonly lines: string;
  readonly kept: string;
  readonly dropped: string;
  readonly speed: string;
  readonly time: string;
  readonly expected: string;
  /** Why there are no matches; empty if there are, or if nobody knows. */
  readonly hint: string;
  readonly preview: readonly string[];
  readonly engine: string;
  readonly facts: Rows;
  readonly details: Rows;
}

const UNKNOWN = '–';
const NOTHING = '\u00a0';

const engines: Readonly<Record<FilterFacts['engine'], string>> = {
  wasm: 'It ran on WebAssembly.',
  js: 'WebAssembly is refused here, so it ran in plain JavaScript, which is slower. The result is the same.',
};

/** What is shown when a run begins: nothing but what it is about. */
export function begun(mode: Mode, names: InputNames): ResultView {
  return {
    title: titleOf(mode, names),
    keptName: words[mode].kept,
    droppedName: words[mode].dropped,
    lines: UNKNOWN,
    kept: UNKNOWN,
    dropped: UNKNOWN,
    speed: UNKNOWN,
    time: UNKNOWN,
    expected: NOTHING,
    hint: '',
    preview: [],
    engine: 'No filter yet.',
    facts: [],
    details: [],
  };
}

/** The view with the counts of lines so far. */
export function counted(view: ResultView, read: number, kept: number): ResultView {
  return { ...view, lines: integer(read), kept: integer(kept), dropped: integer(read - kept) };
}

/** The view at the end of a run. */
export function ended(view: ResultView, mode: Mode, result: Result): ResultView {
  const { read, kept, added, seconds, hint = '', filter } = result;
  return {
    ...counted(view, read, kept),
    speed: integer(Number(((read + added) / seconds).toPrecision(3))),
    time: duration(seconds),
    expected: expectedErrorsText(mode, result),
    hint,
    engine: engines[filter.engine],
    facts: factRows(filter),
    details: detailRows(filter),
  };
}
