// Decides which input each dropped file becomes.

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
