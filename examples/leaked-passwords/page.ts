// The page: serve it with a bundler that knows TypeScript, such as Vite, and leaked.bloom beside it.

import { isLeaked, openList } from './leaked.ts';

const input = document.querySelector('input') as HTMLInputElement;
const output = document.querySelector('output') as HTMLOutputElement;
const list = openList(new URL('leaked.bloom', location.href).href);
// Its error is shown with the first answer.
list.catch(() => {});
let asking = new AbortController();

input.addEventListener('input', () => {
  // The answer would be about another password.
  asking.abort();
  output.value = '';
});

// Not at each keystroke: who sees the answers to all beginnings of a password can guess it letter by letter.
input.addEventListener('change', async () => {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  if (input.value === '') return;
  try {
    const text = (await isLeaked(await list, input.value, signal))
      ? 'Probably leaked: choose another one.'
      : 'Not in the list.';
    if (!signal.aborted) output.value = text;
  } catch (error) {
    if (!signal.aborted) output.value = `The list cannot be read: ${(error as Error).message}`;
  }
});
