// The page that tells whether a password was leaked.

import './page.css';
import { openFilter, urlSource } from 'bloomery/open';
import { digestOf } from '../../../examples/leaked-passwords/leaked.ts';
import url from '../../build/data/leaked.bloom?url';
import text from '../../build/data/leaked.json?raw';
import type { LeakedFacts } from '../../tools/data.ts';
import { chooseEngine } from '../engine.ts';
import { byteSize, integer, percent, plural, short } from '../format.ts';
import { element, factsOf, make, onDemand, write } from '../shell/dom.ts';

/** `openFilter` reads and keeps pages of this many bytes. */
const PAGE_BYTES = 4096;
const CACHE_BYTES = 2 ** 20;

const facts: LeakedFacts = JSON.parse(text);
const form = element('ask', HTMLFormElement);
const input = element('password', HTMLInputElement);

/** The picture of the file: a cell for each page of it, marked once it has been read. */
const cells = Array.from({ length: Math.ceil(facts.bytes / PAGE_BYTES) }, () => make('i'));
const pagesRead = new Set<number>();
let requests = 0;
let bytes = 0;
let asking = new AbortController();

function showRead(): void {
  write('requests', integer(requests));
  write('bytes', byteSize(bytes));
  write('pages', `${integer(pagesRead.size)} of ${integer(cells.length)}`);
}

/** Counts a range that was read, and marks as new nothing but its pages. */
function countRange(first: number, last: number): void {
  requests++;
  bytes += last - first + 1;
  for (const cell of cells) cell.classList.remove('new');
  for (let page = Math.floor(first / PAGE_BYTES); page <= Math.floor(last / PAGE_BYTES); page++) {
    pagesRead.add(page);
    cells[page]?.classList.add('read', 'new');
  }
  showRead();
}

/** The list, whose head is read with the first question. Of the rest, only the bytes that an answer needs are read. */
const opened = onDemand(async () => {
  const request = async (address: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(address, init);
    const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(response.headers.get('content-range') ?? '') ?? [];
    if (first !== undefined) countRange(Number(first), Number(last));
    return response;
  };
  const address = new URL(url, location.href).href;
  const [{ BlockedBloomFilter }, source] = await Promise.all([chooseEngine(), urlSource(address, { fetch: request })]);
  return openFilter([BlockedBloomFilter], source, { cacheBytes: CACHE_BYTES });
});

function clearAnswer(): void {
  // The answer would be about another password.
  asking.abort();
  for (const id of ['answer', 'explanation', 'cost']) write(id, '\u00a0');
}

function showAnswer(isLeaked: boolean): void {
  const others = integer(1 / facts.errorRate);
  write('answer', isLeaked ? 'Probably leaked' : 'Not in the list');
  write(
    'explanation',
    isLeaked
      ? `Choose another one. Of ${others} passwords that are not in the list, one looks like this.`
      : 'That is certain: the filter forgets no password.',
  );
  element('answer', HTMLElement).classList.toggle('likely', isLeaked);
}

/** What one answer took. */
function costOf(asked: number, read: number, milliseconds: number): string {
  const time = `${milliseconds < 1 ? 'less than 1' : integer(milliseconds)} ms`;
  if (asked === 0) return `Answered in ${time} from a part of the file that was read before.`;
  return `Answered in ${time}, with ${plural(asked, 'request')} for ${byteSize(read)}.`;
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
    showAnswer(await filter.has(await digestOf(input.value), { signal }));
    write('cost', costOf(requests - before.requests, bytes - before.bytes, performance.now() - begun));
  } catch (error) {
    if (!signal.aborted) write('explanation', `The list cannot be read: ${(error as Error).message}`);
  }
}

const rows = [
  ['passwords', integer(facts.passwords)],
  ['the file', byteSize(facts.bytes)],
  ['bits per password', short((8 * facts.bytes) / facts.passwords)],
  ['error rate', percent(facts.errorRate)],
  ['kind', 'blocked'],
] as const;
element('facts', HTMLElement).replaceChildren(...factsOf(rows));
element('picture', HTMLElement).replaceChildren(...cells);
write('shared', integer(facts.passwords / cells.length));
showRead();
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
