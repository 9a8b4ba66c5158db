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

/**
 * Copies a text when a button is pressed.
 *
 * @param say gets what there is to say about it
 */
export function copyOnClick(button: HTMLButtonElement, text: () => string, say: (said: string) => void): void {
  button.addEventListener('click', async () => {
    say((await copyText(text())) ? 'Copied.' : 'The browser does not allow copying: select the text.');
  });
}

const SAID_MS = 2000;

/** Copies a text, and says so on the button for two seconds, and to screen readers in `#copied`. */
export async function copyAndSay(button: HTMLButtonElement, text: string): Promise<void> {
  const said = (await copyText(text)) ? 'Copied' : 'Not allowed';
  const label = button.dataset['label'] ?? button.textContent;
  button.dataset['label'] = label;
  write('copied', said);
  button.textContent = said;
  setTimeout(() => {
    button.textContent = label;
    write('copied', '');
  }, SAID_MS);
}

/** Lets each button with `data-copies` copy the text of the element with that id. */
export function makeCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copies]')) {
    const source = element(button.dataset['copies'] ?? '', HTMLElement);
    button.addEventListener('click', () => copyAndSay(button, source.textContent));
  }
}
