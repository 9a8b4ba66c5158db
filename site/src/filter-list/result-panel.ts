// The panel that shows progress, counts, the first lines, and facts about the filter.

import { duration, integer, plural } from '../format.ts';
import { element, make } from '../shell/dom.ts';
import type { FilterFacts, Mode, Progress, Result } from './job.ts';
import { Meter } from './meter.ts';
import { expectedErrorsText, factRows, progressText, words } from './wording.ts';

const PREVIEW_ROWS = 10;
const UNKNOWN = '–';

function write(id: string, text: string): void {
  element(id, HTMLElement).textContent = text;
}

const engines: Readonly<Record<FilterFacts['engine'], string>> = {
  wasm: 'It ran on WebAssembly.',
  js: 'WebAssembly is refused here, so it ran in plain JavaScript, which is slower. The result is the same.',
};

export class ResultPanel {
  readonly #bar = element('progress', HTMLProgressElement);
  #meter = new Meter(0);

  constructor() {
    this.showPreview([]);
    this.showFilter(undefined);
  }

  /** Clears the results of an earlier run. */
  begin(mode: Mode): void {
    this.#meter = new Meter(performance.now());
    this.#bar.value = 0;
    write('kept-name', words[mode].kept);
    write('dropped-name', words[mode].dropped);
    for (const id of ['lines', 'kept', 'dropped', 'speed', 'time']) write(id, UNKNOWN);
    write('expected-errors', '\u00a0');
    this.showPreview([]);
    this.say('Starting');
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
    this.#showCounts(progress.read, progress.kept);
  }

  showPreview(lines: readonly string[]): void {
    const rows = Array.from({ length: PREVIEW_ROWS }, (_, i) => make('li', {}, lines[i] || '\u00a0'));
    const preview = element('preview', HTMLElement);
    preview.replaceChildren(...rows);
    preview.classList.toggle('empty', lines.length === 0);
  }

  showFilter(filter: FilterFacts | undefined): void {
    const rows = filter === undefined ? [] : factRows(filter);
    const cells = rows.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]);
    element('facts', HTMLElement).replaceChildren(...cells);
    write('engine', filter === undefined ? 'No filter yet.' : engines[filter.engine]);
  }

  showResult(mode: Mode, result: Result): void {
    const { read, kept, added, seconds, filter } = result;
    this.#bar.value = 1;
    this.#showCounts(read, kept);
    write('speed', integer(Number(((read + added) / seconds).toPrecision(3))));
    write('time', duration(seconds));
    write('expected-errors', expectedErrorsText(mode, result));
    this.showFilter(filter);
    this.say(`Done: ${integer(kept)} of ${plural(read, 'line')}.`);
  }

  #showCounts(read: number, kept: number): void {
    write('lines', integer(read));
    write('kept', integer(kept));
    write('dropped', integer(read - kept));
  }
}
