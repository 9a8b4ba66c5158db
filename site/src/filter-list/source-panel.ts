// One of the two inputs: a file, or lines that are pasted.

import { byteSize, plural } from '../format.ts';
import { element, onDemand } from '../shell/dom.ts';
import type { FilterFacts, Input, Source } from './job.ts';
import { asLines } from './reading.ts';
import type { ReadingControls } from './reading-controls.ts';
import { isSavedFilter } from './saved-file.ts';
import { savedText } from './wording.ts';

const NOTHING = 'No lines yet';

/** What reads texts is fetched when there is one. */
const readers = onDemand(() => Promise.all([import('./text-file.ts'), import('./reading-controls.ts')]));

interface Chosen {
  readonly file: Blob;
  readonly isFilter: boolean;
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
  #controls: ReadingControls | undefined;
  /** Settles when what was chosen last has been looked at; undefined if it has. */
  looking: Promise<void> | undefined;
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
    this.#paste.addEventListener('input', () => this.restore());
    for (const input of this.#root.querySelectorAll<HTMLInputElement>('input[type=file]')) {
      input.addEventListener('change', () => {
        const [file] = input.files ?? [];
        if (file !== undefined) void this.choose(file, input.id.endsWith('-filter'));
        // Cleared so that the same file can be chosen again, for instance after a change.
        input.value = '';
      });
    }
  }

  /** The chosen input; undefined if there is none. */
  get input(): Input | undefined {
    if (this.#chosen === undefined) return undefined;
    const { file, isFilter } = this.#chosen;
    return { file, reading: isFilter ? undefined : (this.#controls?.reading ?? asLines) };
  }

  /** The names of the columns that are compared; empty for all of a record. */
  get by(): string {
    return this.#chosen?.isFilter ? '' : (this.#controls?.by ?? '');
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

  /** Takes what is pasted. */
  restore(): void {
    void this.#look(this.#take(undefined));
  }

  /** @param isFilter whether it must be a saved filter; a list may be one too */
  choose(file: File, isFilter: boolean): Promise<void> {
    this.#paste.value = '';
    const choice = this.#take({ file, isFilter, name: file.name, title: file.name });
    return this.#look(choice);
  }

  #look(choice: number): Promise<void> {
    const looking = this.#lookAt(choice).finally(() => {
      if (this.looking === looking) this.looking = undefined;
    });
    this.looking = looking;
    return looking;
  }

  /** Looks at what was chosen, and says what it is, or what is wrong with it. */
  async #lookAt(choice: number): Promise<void> {
    const chosen = this.#chosen;
    const isCurrent = (): boolean => choice === this.#choices;
    if (chosen === undefined) return;
    const { file } = chosen;
    try {
      if (this.#id === 'list' && (chosen.isFilter || (await isSavedFilter(file)))) {
        const { inspectFilter } = await import('./saved-filter.ts');
        const facts = await inspectFilter(file);
        if (!isCurrent()) return;
        this.#chosen = { ...chosen, isFilter: true };
        this.#facts = facts;
        this.#say(`${chosen.name}: ${savedText(facts)}`);
        this.#onChange();
        return;
      }
      const [{ openText }, { ReadingControls }] = await readers();
      if (!isCurrent()) return;
      this.#controls ??= new ReadingControls(this.#root, () => {
        void this.#look(this.#choices);
      });
      const text = await openText(file, this.#id, this.#controls.encoding);
      if (!isCurrent()) return;
      const where = this.#paste.value === '' ? 'before' : 'after';
      this.#controls.look(text, this.#paste.parentElement as HTMLElement, where);
    } catch (error) {
      if (!isCurrent()) return;
      this.#chosen = undefined;
      this.#said = NOTHING;
      const { explained } = await import('./input-error.ts');
      this.fail(explained(error).message, chosen.name);
    }
  }

  /** Shows what is wrong with this input. */
  fail(message: string, name = this.#chosen?.name): void {
    this.#status.classList.add('error');
    this.#status.textContent = name === undefined ? message : `${name}: ${message}`;
    this.#paste.setAttribute('aria-invalid', 'true');
  }

  /** Says that there is nothing, unless it is said what is wrong with what was chosen. */
  miss(): void {
    if (!this.#status.classList.contains('error')) this.fail('Choose a file or paste lines first.', undefined);
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
    if (chosen !== undefined || value === '') this.#controls?.reset();
    if (chosen !== undefined) {
      this.#chosen = chosen;
      this.#say(`${chosen.name}, ${byteSize(chosen.file.size)}`);
    } else if (value === '') {
      this.#chosen = undefined;
      this.#say(NOTHING);
    } else {
      this.#chosen = { file: new Blob([value]), isFilter: false, name: 'lines.txt', title: PASTED[this.#id] };
      this.#say(plural(value.split('\n').length - (value.endsWith('\n') ? 1 : 0), 'pasted line'));
    }
    this.#onChange();
    return ++this.#choices;
  }
}
