// One of the two inputs: a file, or lines that are pasted.

import { byteSize, integer } from '../format.ts';
import { element } from '../shell/dom.ts';
import type { FilterFacts, List, Source } from './job.ts';
import { isSavedFilter } from './saved-file.ts';
import { savedText } from './wording.ts';
import { inspectFilter } from './worker-client.ts';

const NOTHING = 'No lines yet';

interface Chosen extends List {
  readonly name: string;
  /** What it is called where the page speaks of it. */
  readonly title: string;
}

const PASTED: Readonly<Record<Source, string>> = { text: 'the pasted lines', list: 'the pasted list' };

export class SourcePanel {
  readonly #id: Source;
  readonly #root: HTMLElement;
  readonly #status: HTMLElement;
  readonly #paste: HTMLTextAreaElement;
  readonly #onChange: () => void;
  #chosen: Chosen | undefined;
  #facts: FilterFacts | undefined;
  /** The text about the input, without an error. */
  #said = NOTHING;
  /** Counts choices, so that late results about an earlier choice are ignored. */
  #choices = 0;

  /**
   * @param onChange called when the user has chosen an input, and again when a chosen filter has been read
   */
  constructor(id: Source, onChange: () => void) {
    this.#id = id;
    this.#root = element(id, HTMLElement);
    this.#status = element(`${id}-status`, HTMLElement);
    this.#paste = element(`${id}-paste`, HTMLTextAreaElement);
    this.#onChange = onChange;
    this.#paste.addEventListener('input', () => this.#take(undefined));
    for (const input of this.#root.querySelectorAll<HTMLInputElement>('input[type=file]')) {
      input.addEventListener('change', () => {
        const [file] = input.files ?? [];
        if (file !== undefined) void this.choose(file, input.id.endsWith('-filter') ? 'filter' : 'lines');
        // Cleared so that the same file can be chosen again, for instance after a change.
        input.value = '';
      });
    }
  }

  /** The chosen input; undefined if there is none. */
  get list(): List | undefined {
    return this.#chosen;
  }

  /** The name of the file, or one for pasted lines. */
  get name(): string {
    return this.#chosen?.name ?? 'lines.txt';
  }

  /** What the page calls the input. */
  get title(): string {
    return this.#chosen?.title ?? PASTED[this.#id];
  }

  /** The facts about the saved filter, if one was chosen. */
  get facts(): FilterFacts | undefined {
    return this.#facts;
  }

  set hidden(hidden: boolean) {
    this.#root.hidden = hidden;
  }

  async choose(file: File, form: List['form']): Promise<void> {
    this.#paste.value = '';
    const choice = this.#take({ file, form, name: file.name, title: file.name });
    if (this.#id === 'text') return;
    try {
      // A file with lines may also be a saved filter.
      if (form === 'lines' && !(await isSavedFilter(file))) return;
      const facts = await inspectFilter(file);
      if (choice !== this.#choices) return;
      this.#chosen = { file, form: 'filter', name: file.name, title: file.name };
      this.#facts = facts;
      this.#say(`${file.name}: ${savedText(facts)}`);
      this.#onChange();
    } catch (error) {
      if (choice !== this.#choices) return;
      this.#chosen = undefined;
      this.fail((error as Error).message, file.name);
    }
  }

  /** Shows what is wrong with this input. */
  fail(message: string, name = this.#chosen?.name): void {
    this.#status.classList.add('error');
    this.#status.textContent = name === undefined ? message : `${name}: ${message}`;
    this.#paste.setAttribute('aria-invalid', 'true');
  }

  focus(): void {
    this.#root.querySelector('input')?.focus();
  }

  /** Removes the error, because the input has changed and may be valid. */
  forgive(): void {
    this.#say(this.#said);
  }

  #say(text: string): void {
    this.#said = text;
    this.#status.classList.remove('error');
    this.#status.textContent = text;
    this.#paste.removeAttribute('aria-invalid');
  }

  /**
   * @param chosen undefined for pasted lines
   */
  #take(chosen: Chosen | undefined): number {
    this.#facts = undefined;
    const { value } = this.#paste;
    if (chosen !== undefined) {
      this.#chosen = chosen;
      this.#say(`${chosen.name}, ${byteSize(chosen.file.size)}`);
    } else if (value === '') {
      this.#chosen = undefined;
      this.#say(NOTHING);
    } else {
      this.#chosen = { form: 'lines', file: new Blob([value]), name: 'lines.txt', title: PASTED[this.#id] };
      this.#say(`${integer(value.split('\n').length - (value.endsWith('\n') ? 1 : 0))} pasted lines`);
    }
    this.#onChange();
    return ++this.#choices;
  }
}
