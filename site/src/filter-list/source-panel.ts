// One of the two inputs: a file, or lines that are pasted.

import { byteSize, plural } from '../format.ts';
import { element, onDemand } from '../shell/dom.ts';
import type { FilterFacts, Input, Source } from './job.ts';
import { asLines } from './reading.ts';
import type { ReadingControls } from './reading-controls.ts';
import { isSavedFilter } from './saved-file.ts';
import { savedText, UNLOADED } from './wording.ts';

const NOTHING = 'No lines yet';

/** What reads texts is fetched when there is one. */
const readers = onDemand(() => Promise.all([import('./text-file.ts'), import('./reading-controls.ts')]));

interface Chosen {
  readonly file: Blob;
  readonly isFilter: boolean;
  readonly name: string;
  /** What it is called where the page speaks of it. */
  readonly title: string;
  /** What is known about a saved filter, once it has been read. */
  readonly facts?: FilterFacts;
}

const PASTED: Readonly<Record<Source, string>> = { text: 'the pasted lines', list: 'the pasted list' };

/** @param onChange called when the user has chosen an input, and again when a chosen filter has been read */
export function sourcePanel(id: Source, onChange: () => void) {
  const root = element(id, HTMLElement);
  const status = element(`${id}-status`, HTMLElement);
  const paste = element(`${id}-paste`, HTMLTextAreaElement);
  let chosen: Chosen | undefined;
  let controls: ReadingControls | undefined;
  /** Settles when what was chosen last has been looked at; undefined if it has. */
  let looking: Promise<void> | undefined;
  /** The text about the input, without an error. */
  let said = NOTHING;

  function say(text: string): void {
    said = text;
    status.classList.remove('error');
    status.textContent = text;
    paste.removeAttribute('aria-invalid');
  }

  /** Shows what is wrong with this input. */
  function fail(message: string, name = chosen?.name): void {
    status.classList.add('error');
    status.textContent = name === undefined ? message : `${name}: ${message}`;
    paste.setAttribute('aria-invalid', 'true');
  }

  /** Looks at what was chosen, and says what it is, or what is wrong with it. */
  async function lookAt(one: Chosen): Promise<void> {
    // Late results about an earlier choice are ignored.
    const isCurrent = (): boolean => one === chosen;
    const { file, name } = one;
    try {
      if (id === 'list' && (one.isFilter || (await isSavedFilter(file)))) {
        const { inspectFilter } = await import('./saved-filter.ts');
        const facts = await inspectFilter(file);
        if (!isCurrent()) return;
        chosen = { ...one, isFilter: true, facts };
        say(`${name}: ${savedText(facts)}`);
        onChange();
        return;
      }
      const [{ openText }, { readingControls }] = await readers();
      if (!isCurrent()) return;
      controls ??= readingControls(root, () => void look());
      const text = await openText(file, id, controls.encodingNow());
      if (!isCurrent()) return;
      const where = paste.value === '' ? 'before' : 'after';
      controls.look(text, paste.parentElement as HTMLElement, where);
    } catch (error) {
      const message = await import('./input-error.ts').then(
        ({ explained }) => explained(error).message,
        () => UNLOADED,
      );
      if (!isCurrent()) return;
      chosen = undefined;
      said = NOTHING;
      fail(message, name);
    }
  }

  async function look(): Promise<void> {
    looking = undefined;
    if (chosen === undefined) return;
    const last = lookAt(chosen).finally(() => {
      if (looking === last) looking = undefined;
    });
    looking = last;
    await last;
  }

  function take(one: Chosen | undefined, text: string): Promise<void> {
    chosen = one;
    say(text);
    onChange();
    return look();
  }

  /** Takes what is pasted. */
  function restore(): void {
    const { value } = paste;
    if (value === '') {
      controls?.reset();
      void take(undefined, NOTHING);
    } else {
      const count = value.split('\n').length - (value.endsWith('\n') ? 1 : 0);
      const pasted = { file: new Blob([value]), isFilter: false, name: 'lines.txt', title: PASTED[id] };
      void take(pasted, plural(count, 'pasted line'));
    }
  }

  /** @param isFilter whether it must be a saved filter; a list may be one too */
  function choose(file: File, isFilter: boolean): Promise<void> {
    const { name } = file;
    paste.value = '';
    controls?.reset();
    return take({ file, isFilter, name, title: name }, `${name}, ${byteSize(file.size)}`);
  }

  paste.addEventListener('input', restore);
  for (const input of root.querySelectorAll<HTMLInputElement>('input[type=file]')) {
    input.addEventListener('change', () => {
      const [file] = input.files ?? [];
      if (file !== undefined) void choose(file, input.id.endsWith('-filter'));
      // Cleared so that the same file can be chosen again, for instance after a change.
      input.value = '';
    });
  }

  return {
    root,
    restore,
    choose,
    fail,
    looked: (): Promise<void> | undefined => looking,
    chosen: (): Chosen | undefined => chosen,
    /** The chosen input; undefined if there is none. */
    input(): Input | undefined {
      const reading = chosen?.isFilter ? undefined : (controls?.readingNow() ?? asLines);
      return chosen && { file: chosen.file, reading };
    },
    /** The names of the columns that are compared; empty for all of a record. */
    compared: (): string => (chosen?.isFilter ? '' : (controls?.compared() ?? '')),
    /** Says that there is nothing, unless it is said what is wrong with what was chosen. */
    miss(): void {
      if (!status.classList.contains('error')) fail('Choose a file or paste lines first.', undefined);
    },
    focus: (): void => root.querySelector('input')?.focus(),
    /** Removes the error, because the input has changed and may be valid. */
    forgive: (): void => say(said),
  };
}
