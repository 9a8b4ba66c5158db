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

/** Texts by the ids of the elements that show them. */
type Texts = Readonly<Record<string, string>>;

/** What the panel shows when a run begins: what it is about, and nothing of an earlier run. */
export function begun(mode: Mode, names: InputNames): Texts {
  return {
    'result-of': titleOf(mode, names),
    'kept-name': words[mode].kept,
    'dropped-name': words[mode].dropped,
    lines: UNKNOWN,
    kept: UNKNOWN,
    dropped: UNKNOWN,
    speed: UNKNOWN,
    time: UNKNOWN,
    'expected-errors': NOTHING,
    hint: '',
    'memory-title': 'The filter',
    'save-filter': 'Save the filter',
    engine: 'Nothing yet.',
  };
}

/** The counts of lines so far. */
const counted = (read: number, kept: number): Texts => ({
  lines: integer(read),
  kept: integer(kept),
  dropped: integer(read - kept),
});

/** What else it shows at the end of a run. */
export function ended(mode: Mode, result: Result): Texts {
  const { read, kept, added, seconds, hint = '', filter } = result;
  const noun = isExact(filter) ? 'set' : 'filter';
  return {
    ...counted(read, kept),
    speed: integer(Number(((read + added) / seconds).toPrecision(3))),
    time: duration(seconds),
    'expected-errors': expectedErrorsText(mode, result),
    hint,
    'memory-title': `The ${noun}`,
    'save-filter': `Save the ${noun}`,
    engine: engines[filter.engine],
  };
}

export class ResultPanel {
  readonly #bar = element('progress', HTMLProgressElement);
  readonly #root = element('result', HTMLElement);
  /** When the run began, or began again, in milliseconds, and the bytes read since then. */
  #begun = 0;
  #bytes = 0;
  /** What is said of the result that is shown; empty if there is none. */
  #done = '';
  #isOutdated = false;

  /** Shows the panel, without anything of an earlier run. */
  begin(mode: Mode, names: InputNames): void {
    this.#begun = performance.now();
    this.#bytes = 0;
    this.#done = '';
    this.#isOutdated = false;
    this.#bar.value = 0;
    element('progress-part', HTMLElement).hidden = false;
    this.#root.hidden = false;
    this.#show(begun(mode, names));
    this.showPreview([]);
    this.#showFacts([], []);
    this.say('Starting');
  }

  /** Hides the panel, because there is no result. */
  fail(text: string): void {
    this.#root.hidden = true;
    this.#done = '';
    this.say(text);
  }

  /** Shows a message, which screen readers speak. */
  say(text: string): void {
    write('progress-text', text);
    write('announcement', text);
  }

  /** The choices are no longer those of the run. That is said once there is a result. */
  markOutdated(): void {
    if (this.#isOutdated) return;
    this.#isOutdated = true;
    if (this.#done !== '') this.sayDone();
  }

  /** Says again what was said of the result that is shown. */
  sayDone(): void {
    const outdated = 'The choices have changed since: filter again for a new result.';
    this.say(this.#isOutdated && this.#done !== '' ? `${this.#done} ${outdated}` : this.#done);
  }

  showProgress(progress: Progress): void {
    if (progress.bytes < this.#bytes) this.#begun = performance.now();
    this.#bytes = progress.bytes;
    // At least 1 ms, because the clocks of browsers have steps of up to that.
    const seconds = Math.max(performance.now() - this.#begun, 1) / 1000;
    this.#bar.value = progress.totalBytes > 0 ? progress.bytes / progress.totalBytes : 0;
    // Not spoken, because it changes twenty times a second, and the bar has a value.
    write('progress-text', progressText(progress, seconds));
    this.#show(counted(progress.read, progress.kept));
  }

  showPreview(preview: readonly string[]): void {
    element('preview', HTMLElement).replaceChildren(...preview.map((line) => make('li', {}, line || NOTHING)));
  }

  /** @param destination the name of the file that has the lines, if the user chose one */
  showResult(mode: Mode, result: Result, destination?: string): void {
    this.#bar.value = 1;
    this.#show(ended(mode, result));
    this.#showFacts(factRows(result.filter), detailRows(result.filter));
    const counts = `${integer(result.kept)} of ${plural(result.read, 'line')}`;
    this.#done = destination === undefined ? `Done: ${counts}.` : `Done: the lines are in ${destination}.`;
    this.sayDone();
  }

  #showFacts(facts: Rows, details: Rows): void {
    element('facts', HTMLElement).replaceChildren(...factsOf(facts));
    element('details', HTMLElement).replaceChildren(...factsOf(details));
  }

  #show(texts: Texts): void {
    for (const [id, text] of Object.entries(texts)) write(id, text);
    element('hint', HTMLElement).hidden = element('hint', HTMLElement).textContent === '';
  }
}
