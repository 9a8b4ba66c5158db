// Files that are dropped anywhere in the window. A browser would open them in the place of the page.

import type { Source } from './job.ts';

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
