// Buttons that copy a text.

import { element } from '../shell/dom.ts';

const SAID_MS = 2000;

/** Copies a text, and says so on the button, and to screen readers in `#copied`. */
export async function copyText(button: HTMLButtonElement, text: string): Promise<void> {
  const said = await navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'Not allowed',
  );
  const label = button.dataset['label'] ?? button.textContent;
  button.dataset['label'] = label;
  element('copied', HTMLElement).textContent = said;
  button.textContent = said;
  setTimeout(() => {
    button.textContent = label;
    element('copied', HTMLElement).textContent = '';
  }, SAID_MS);
}

/** Lets each button with `data-copies` copy the text of the element with that id. */
export function makeCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copies]')) {
    const source = element(button.dataset['copies'] ?? '', HTMLElement);
    button.addEventListener('click', () => copyText(button, source.textContent));
  }
}
