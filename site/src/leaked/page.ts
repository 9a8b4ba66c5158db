// The page that tells whether a password was leaked.

import './page.css';
import { digestOf } from '../../../examples/leaked-passwords/leaked.ts';
import url from '../../build/data/leaked.bloom?url';
import text from '../../build/data/leaked.json?raw';
import type { LeakedFacts } from '../../tools/data.ts';
import { byteSize, integer, percent, short } from '../format.ts';
import { element, factsOf, onDemand, write } from '../shell/dom.ts';
import { openList } from './list.ts';
import { FilePicture } from './picture.ts';
import { answerTo, costOf } from './wording.ts';

const facts: LeakedFacts = JSON.parse(text);
const form = element('ask', HTMLFormElement);
const input = element('password', HTMLInputElement);
const picture = new FilePicture(element('picture', HTMLElement), facts.bytes);

let requests = 0;
let bytes = 0;
let asking = new AbortController();

function showRead(): void {
  write('requests', integer(requests));
  write('bytes', byteSize(bytes));
  write('pages', `${integer(picture.pagesRead)} of ${integer(picture.pages)}`);
}

/** The list, opened with the first question. */
const opened = onDemand(() =>
  openList(new URL(url, location.href).href, (range) => {
    requests++;
    bytes += range.last - range.first + 1;
    picture.mark(range);
    showRead();
  }),
);

function clearAnswer(): void {
  // The answer would be about another password.
  asking.abort();
  for (const id of ['answer', 'explanation', 'cost']) write(id, '\u00a0');
}

async function ask(): Promise<void> {
  clearAnswer();
  asking = new AbortController();
  const { signal } = asking;
  if (input.value === '') return;
  const before = { requests, bytes };
  const begun = performance.now();
  try {
    const filter = await opened();
    const isLeaked = await filter.has(await digestOf(input.value), { signal });
    const milliseconds = performance.now() - begun;
    const { verdict, explanation } = answerTo(isLeaked, facts.errorRate);
    write('answer', verdict);
    write('explanation', explanation);
    write('cost', costOf(requests - before.requests, bytes - before.bytes, milliseconds));
    element('answer', HTMLElement).classList.toggle('likely', isLeaked);
  } catch (error) {
    if (!signal.aborted) write('explanation', `The list cannot be read: ${(error as Error).message}`);
  }
}

function showFacts(): void {
  const rows = [
    ['passwords', integer(facts.passwords)],
    ['the file', byteSize(facts.bytes)],
    ['bits per password', short((8 * facts.bytes) / facts.passwords)],
    ['error rate', percent(facts.errorRate)],
    ['kind', 'blocked'],
  ] as const;
  element('facts', HTMLElement).replaceChildren(...factsOf(rows));
  write('shared', integer(facts.passwords / picture.pages));
  showRead();
}

showFacts();
input.addEventListener('input', clearAnswer);
// Not at each keystroke: who sees the answers to all beginnings of a password can guess it letter by letter.
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void ask();
});
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-password]')) {
  button.addEventListener('click', () => {
    input.value = button.dataset['password'] ?? '';
    void ask();
  });
}
