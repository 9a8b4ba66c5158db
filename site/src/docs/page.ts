// Runs on every page of the documentation: the search, and what code blocks and folded sections need.

import './page.css';
import { plural } from '../format.ts';
import { copyOnClick } from '../shell/copy.ts';
import { element, make, onDemand } from '../shell/dom.ts';
import type { Found } from '../search/find.ts';

/** The most results that are shown. */
const MOST_RESULTS = 20;

const input = element('search', HTMLInputElement);
const list = element('search-results', HTMLOListElement);
const status = element('search-status', HTMLElement);
const root = document.querySelector<HTMLMetaElement>('meta[name=bloomery-root]')?.content ?? '';

/** The search, loaded when the field is first used. */
const search = onDemand(async () => (await import('../search/load.ts')).loadSearch());

/** The text with `<mark>` around the words that were found. */
function marked(text: string, terms: readonly string[]): (string | HTMLElement)[] {
  const longestFirst = [...terms].sort((a, b) => b.length - a.length);
  const words = longestFirst.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const parts = text.split(new RegExp(`(${words.join('|')})`, 'i'));
  return parts.map((part, i) => (i % 2 === 1 ? make('mark', {}, part) : part));
}

function itemOf({ url, page, heading, elsewhere, excerpt, terms }: Found): HTMLLIElement {
  const title = make('strong', {}, ...marked(heading, terms));
  const others = elsewhere === 0 ? '' : ` and ${elsewhere} more`;
  const where = page === heading ? [] : [make('span', { class: 'muted' }, ` ${page}${others}`)];
  const text = make('span', { class: 'excerpt' }, ...marked(excerpt, terms));
  return make('li', {}, make('a', { href: root + url }, title, ...where, text));
}

function close(): void {
  list.hidden = true;
  status.textContent = '\u00a0';
}

/** Without a connection, those that are kept: pages of the reference are kept only once they were open. */
async function reachable(results: readonly Found[]): Promise<Found[]> {
  if (navigator.onLine || !('caches' in window)) return [...results];
  const isKept = await Promise.all(results.map(async ({ url }) => (await caches.match(root + url)) !== undefined));
  return results.filter((_, i) => isKept[i]);
}

async function show(): Promise<void> {
  const query = input.value.trim();
  if (query === '') return close();
  let results: Found[];
  try {
    results = await reachable((await search())(query));
  } catch {
    status.textContent = 'The search could not be loaded.';
    return;
  }
  // The user may have typed more in the meantime.
  if (input.value.trim() !== query) return;
  list.replaceChildren(...results.slice(0, MOST_RESULTS).map(itemOf));
  list.hidden = results.length === 0;
  status.textContent = results.length === 0 ? 'Nothing found' : `${plural(results.length, 'section')} found`;
}

/** Moves the focus from the field into the results, through them, and back. */
function move(step: 1 | -1): void {
  const links = [...list.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  const next = links[at + step];
  if (next) next.focus();
  else if (step === -1) input.focus();
}

const form = element('search-form', HTMLFormElement);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  list.querySelector('a')?.click();
});
form.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1);
  } else if (event.key === 'Escape') {
    close();
    input.focus();
  }
});
form.addEventListener('focusout', ({ relatedTarget }) => {
  if (relatedTarget instanceof Node && !form.contains(relatedTarget)) close();
});
list.addEventListener('click', close);
input.addEventListener('input', show);
input.addEventListener('focus', () => void search().catch(() => {}));
document.addEventListener('click', ({ target }) => {
  if (target instanceof Node && !form.contains(target)) close();
});

/** Opens the folded section that has the target of the URL: not every browser does that by itself. */
function unfold(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folded = target?.closest<HTMLDetailsElement>('.prose details:not([open])');
  if (!target || !folded) return;
  folded.open = true;
  target.scrollIntoView();
}
unfold();
addEventListener('hashchange', unfold);

for (const button of document.querySelectorAll<HTMLButtonElement>('.copy')) {
  button.hidden = false;
  copyOnClick(button, () => button.parentElement?.querySelector('code')?.textContent ?? '');
}

// On wide screens, the contents stand beside the document, with a scroll bar of their own.
const current = document.querySelector<HTMLElement>('.docs-contents [aria-current]');
const contents = current?.closest('nav');
if (current && contents) contents.scrollTop = current.offsetTop - contents.offsetTop - contents.clientHeight / 3;

document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
