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

function refusal(left: readonly DroppedFile[], mode: Mode): string {
  if (left.length === 0) return '';
  const names = left.map(({ name }) => name).join(', ');
  const why =
    mode === 'once'
      ? 'To keep each line once, there is only one list'
      : 'There are two lists, one of which may be a filter';
  return `${why}: not taken: ${names}.`;
}

/** Which file becomes which input, and what is said about files that are not taken: nothing if all are. */
export function placeDrop<File extends DroppedFile>(files: readonly File[], situation: Situation) {
  const { mode, target, hasText, hasList } = situation;
  const filter = files.find(({ isFilter }) => isFilter);
  const texts = files.filter(({ isFilter }) => !isFilter);
  let [text, list] = [texts[0], mode === 'once' ? undefined : (filter ?? texts[1])];
  // A single list of lines belongs onto what it was dropped, or else to what is missing.
  const place = target ?? (hasText && !hasList ? 'list' : 'text');
  if (mode !== 'once' && list === undefined && place === 'list') [text, list] = [undefined, text];
  const left = files.filter((file) => file !== text && file !== list);
  return { text, list, said: refusal(left, mode) };
}

const sources: readonly Source[] = ['text', 'list'];

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
    const target = sources.find((source) => source === targetOf(event)?.id);
    // Read now, because the event's files are gone afterwards.
    onFiles([...(event.dataTransfer?.files ?? [])], target);
  });
}
