// The panel of results on the page, and the progress above it.

import { duration, integer, plural } from '../format.ts';
import { element, factsOf, make, write } from '../shell/dom.ts';
import { type FilterFacts, isExact, type Mode, type Progress, type Result } from './job.ts';
import {
  detailRows,
  expectedErrorsText,
  factRows,
  type InputNames,
  progressText,
  type Rows,
  titleOf,
  words,
} from './wording.ts';

const UNKNOWN = '–';
const NOTHING = '\u00a0';

const engines: Readonly<Record<FilterFacts['engine'], string>> = {
  wasm: 'It ran on WebAssembly.',
  js: 'WebAssembly is refused here, so it ran in plain JavaScript, which is slower. The result is the same.',
};

/**
 * What the panel shows when a run begins: nothing but what it is about. Each state of it is whole, so that nothing of an
 * earlier run stays.
 */
export function begun(mode: Mode, names: InputNames) {
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
    /** What else there is to say; empty for nothing. */
    hint: '',
    preview: [] as readonly string[],
    noun: '',
    engine: 'Nothing yet.',
    facts: [] as Rows,
    details: [] as Rows,
  };
}

type ResultView = ReturnType<typeof begun>;

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
    noun: isExact(filter) ? 'set' : 'filter',
    engine: engines[filter.engine],
    facts: factRows(filter),
    details: detailRows(filter),
  };
}

const PREVIEW_ROWS = 10;

export class ResultPanel {
  readonly #bar = element('progress', HTMLProgressElement);
  readonly #root = element('result', HTMLElement);
  /** When the run began, or began again, in milliseconds, and the bytes read since then. */
  #begun = 0;
  #bytes = 0;
  #view: ResultView | undefined;

  /** Shows the panel, without anything of an earlier run. */
  begin(mode: Mode, names: InputNames): void {
    this.#begun = performance.now();
    this.#bytes = 0;
    this.#bar.value = 0;
    element('progress-part', HTMLElement).hidden = false;
    this.#root.hidden = false;
    this.#show(begun(mode, names));
    this.say('Starting');
  }

  /** Hides the panel, because there is no result. */
  fail(text: string): void {
    this.#root.hidden = true;
    this.say(text);
  }

  /** Shows a message, which screen readers speak. */
  say(text: string): void {
    write('progress-text', text);
    write('announcement', text);
  }

  showProgress(progress: Progress): void {
    if (progress.bytes < this.#bytes) this.#begun = performance.now();
    this.#bytes = progress.bytes;
    // At least 1 ms, because the clocks of browsers have steps of up to that.
    const seconds = Math.max(performance.now() - this.#begun, 1) / 1000;
    this.#bar.value = progress.totalBytes > 0 ? progress.bytes / progress.totalBytes : 0;
    // Not spoken, because it changes twenty times a second, and the bar has a value.
    write('progress-text', progressText(progress, seconds));
    if (this.#view) this.#show(counted(this.#view, progress.read, progress.kept));
  }

  showPreview(preview: readonly string[]): void {
    if (this.#view) this.#show({ ...this.#view, preview });
  }

  showResult(mode: Mode, result: Result): void {
    this.#bar.value = 1;
    if (this.#view) this.#show(ended(this.#view, mode, result));
    this.say(`Done: ${integer(result.kept)} of ${plural(result.read, 'line')}.`);
  }

  #show(view: ResultView): void {
    const before = this.#view;
    this.#view = view;
    write('result-of', view.title);
    write('kept-name', view.keptName);
    write('dropped-name', view.droppedName);
    for (const id of ['lines', 'kept', 'dropped', 'speed', 'time', 'engine'] as const) write(id, view[id]);
    write('memory-title', `The ${view.noun || 'filter'}`);
    write('save-filter', `Save the ${view.noun || 'filter'}`);
    write('expected-errors', view.expected);
    write('hint', view.hint);
    element('hint', HTMLElement).hidden = view.hint === '';
    if (view.preview !== before?.preview) {
      const rows = Array.from({ length: PREVIEW_ROWS }, (_, i) => make('li', {}, view.preview[i] || '\u00a0'));
      element('preview', HTMLElement).replaceChildren(...rows);
    }
    if (view.facts !== before?.facts) {
      element('facts', HTMLElement).replaceChildren(...factsOf(view.facts));
      element('details', HTMLElement).replaceChildren(...factsOf(view.details));
    }
  }
}
