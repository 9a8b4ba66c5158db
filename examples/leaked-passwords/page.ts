// The page: serve it with a bundler that knows TypeScript, such as Vite, and leaked.bloom beside it.

import { isLeaked, openList } from './leaked.ts';

const input = document.querySelector('input') as HTMLInputElement;
const output = document.querySelector('output') as HTMLOutputElement;
const list = openList(new URL('leaked.bloom', location.href).href);
let asking = new AbortController();

input.addEventListener('input', async () => {
  // The answer to an earlier keystroke would be about another password.
  asking.abort();
  output.value = '';
  asking = new AbortController();
  const { signal } = asking;
  try {
    const text = (await isLeaked(await list, input.value, signal))
      ? 'Probably leaked: choose another one.'
      : 'Not in the list.';
    if (!signal.aborted) output.value = text;
  } catch (error) {
    if (!signal.aborted) output.value = `The list cannot be read: ${(error as Error).message}`;
  }
});
