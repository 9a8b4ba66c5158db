// Buttons that copy a text.

import { element, write } from './dom.ts';

/** Copies a text. Returns false if the browser refuses to. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

const SAID_MS = 2000;

/** Copies a text when a button is pressed, and says so on it for two seconds, and to screen readers in `#copied`. */
export function copyOnClick(button: HTMLButtonElement, text: () => string): void {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    const said = (await copyText(text())) ? 'Copied' : 'Not allowed';
    write('copied', said);
    button.textContent = said;
    setTimeout(() => {
      button.textContent = label;
      write('copied', '');
    }, SAID_MS);
  });
}

/** Lets each button with `data-copies` copy the text of the element with that id. */
export function makeCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copies]')) {
    const source = element(button.dataset['copies'] ?? '', HTMLElement);
    copyOnClick(button, () => source.textContent);
  }
}
