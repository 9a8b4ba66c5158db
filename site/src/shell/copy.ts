/**
 * Copies a text when a button is pressed.
 *
 * @param say gets what there is to say about it
 */
export function copyOnClick(button: HTMLButtonElement, text: () => string, say: (said: string) => void): void {
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text());
      say('Copied.');
    } catch {
      say('The browser does not allow copying: select the text.');
    }
  });
}
