// The panel of results on the page, and the progress above it.

import { integer, plural } from '../format.ts';
import { element, factsOf, make, write } from '../shell/dom.ts';
import type { Mode, Progress, Result } from './job.ts';
import { Meter } from './meter.ts';
import { begun, counted, ended, type ResultView } from './result-view.ts';
import { type InputNames, progressText } from './wording.ts';

const PREVIEW_ROWS = 10;

export class ResultPanel {
  readonly #bar = element('progress', HTMLProgressElement);
  readonly #root = element('result', HTMLElement);
  #meter = new Meter(0);
  #view: ResultView | undefined;

  /** Shows the panel, without anything of an earlier run. */
  begin(mode: Mode, names: InputNames): void {
    this.#meter = new Meter(performance.now());
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
    const reading = this.#meter.read(progress, performance.now());
    this.#bar.value = reading.share;
    // Not spoken, because it changes twenty times a second, and the bar has a value.
    write('progress-text', progressText(progress, reading));
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
