// Files that are dropped anywhere in the window, where a browser would open them in the place of the page: which input each
// of them becomes.

import type { Mode, Source } from './job.ts';

export interface DroppedFile {
  readonly name: string;
  /** Whether it is a saved filter, which can only be the list. */
  readonly isFilter: boolean;
}

/** What is there when files are dropped. */
export interface Situation {
  readonly mode: Mode;
  /** The input onto which the files were dropped, if they were dropped onto one. */
  readonly target: Source | undefined;
  readonly hasText: boolean;
  readonly hasList: boolean;
}

interface Placed<File extends DroppedFile> {
  readonly text: File | undefined;
  readonly list: File | undefined;
  /** What is said about files that were not taken; empty if all were. */
  readonly said: string;
}

/** Where a single list of lines belongs: onto what it was dropped, or else to what is missing. */
function placeOf({ mode, target, hasText, hasList }: Situation): Source {
  if (mode === 'once') return 'text';
  return target ?? (hasText && !hasList ? 'list' : 'text');
}

function refusal(left: readonly DroppedFile[], mode: Mode): string {
  if (left.length === 0) return '';
  const names = left.map(({ name }) => name).join(', ');
  const why =
    mode === 'once'
      ? 'To keep each line once, there is only one list'
      : 'There are two lists, one of which may be a filter';
  return `${why}: not taken: ${names}.`;
}

export function placeDrop<File extends DroppedFile>(files: readonly File[], situation: Situation): Placed<File> {
  const { mode } = situation;
  const filters = files.filter(({ isFilter }) => isFilter);
  const texts = files.filter(({ isFilter }) => !isFilter);
  const [filter] = mode === 'once' ? [] : filters;
  let [text, list] = [texts[0], filter ?? (mode === 'once' ? undefined : texts[1])];
  if (texts.length === 1 && filter === undefined && placeOf(situation) === 'list') [text, list] = [undefined, text];
  const left = files.filter((file) => file !== text && file !== list);
  return { text, list, said: refusal(left, mode) };
}

const isSource = (id: string): id is Source => id === 'text' || id === 'list';

/** The input that an event is over; undefined elsewhere. */
function targetOf({ target }: Event): HTMLElement | undefined {
  const panel = target instanceof Element ? target.closest<HTMLElement>('.source') : null;
  return panel ?? undefined;
}

/** @param onFiles called with the files, and with the input that they were dropped onto */
export function acceptFiles(onFiles: (files: readonly File[], target: Source | undefined) => void): void {
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;
  const show = (over: HTMLElement | undefined): void => {
    for (const each of document.querySelectorAll('.dropping')) each.classList.remove('dropping');
    over?.classList.add('dropping');
  };
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    show(targetOf(event) ?? document.body);
  });
  document.addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) show(undefined);
  });
  document.addEventListener('drop', (event) => {
    show(undefined);
    if (!hasFiles(event)) return;
    event.preventDefault();
    const id = targetOf(event)?.id ?? '';
    // Read now, because the event's files are gone afterwards.
    onFiles([...(event.dataTransfer?.files ?? [])], isSource(id) ? id : undefined);
  });
}
