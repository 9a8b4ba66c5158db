// The search in the head of every page: a combobox whose results are links. What it searches is fetched when the field
// is first used.

import url from 'virtual:search-data';
import { plural } from '../format.ts';
import { element, make, onDemand, siteRoot } from '../shell/dom.ts';
import type { Found } from './find.ts';

/** The most results that are shown. */
const MOST_RESULTS = 20;

const form = element('search-form', HTMLFormElement);
const input = element('search', HTMLInputElement);
const list = element('search-results', HTMLElement);
const status = element('search-status', HTMLElement);
const root = siteRoot();

/** The sections are indexed here: they are smaller than an index of them, and give the excerpts as well. */
const search = onDemand(async () => {
  const [response, { searchOver }] = await Promise.all([fetch(url), import('./find.ts')]);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return searchOver(await response.json());
});

/** The results that are shown, the best first. */
let options: readonly HTMLAnchorElement[] = [];
/** The index of the one that the arrow keys have chosen; -1 if the field itself is. */
let chosen = -1;
/** Counts what was asked, because an answer may come after the next question. */
let asked = 0;

/** The text with `<mark>` around the words that were found. */
function marked(text: string, terms: readonly string[]): (string | HTMLElement)[] {
  const longestFirst = [...terms].sort((a, b) => b.length - a.length);
  const words = longestFirst.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const parts = text.split(new RegExp(`(${words.join('|')})`, 'i'));
  return parts.map((part, i) => (i % 2 === 1 ? make('mark', {}, part) : part));
}

function optionOf({ url, page, heading, elsewhere, excerpt, terms }: Found, index: number): HTMLAnchorElement {
  const others = elsewhere === 0 ? '' : ` and ${elsewhere} more`;
  const where = page === heading ? [] : [make('span', { class: 'muted' }, ` ${page}${others}`)];
  return make(
    'a',
    { id: `search-result-${index}`, role: 'option', 'aria-selected': 'false', tabindex: '-1', href: root + url },
    make('strong', {}, ...marked(heading, terms)),
    ...where,
    make('div', { class: 'small muted' }, ...marked(excerpt, terms)),
  );
}

function choose(index: number): void {
  options[chosen]?.setAttribute('aria-selected', 'false');
  chosen = index;
  const option = options[index];
  option?.setAttribute('aria-selected', 'true');
  option?.scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', option?.id ?? '');
}

function show(results: readonly Found[], said: string): void {
  asked++;
  options = results.slice(0, MOST_RESULTS).map(optionOf);
  choose(-1);
  list.replaceChildren(...options);
  list.hidden = options.length === 0;
  list.scrollTop = 0;
  input.setAttribute('aria-expanded', String(!list.hidden));
  status.textContent = said;
}

const close = (): void => show([], '');

/** Without a connection, those that are kept: pages of the reference are kept only once they were open. */
async function reachable(results: readonly Found[]): Promise<readonly Found[]> {
  if (navigator.onLine || !('caches' in window)) return results;
  const isKept = await Promise.all(results.map(async ({ url }) => (await caches.match(root + url)) !== undefined));
  return results.filter((_, i) => isKept[i]);
}

async function ask(): Promise<void> {
  const turn = ++asked;
  const query = input.value.trim();
  if (query === '') return close();
  try {
    const results = await reachable((await search())(query));
    if (turn !== asked) return;
    const shown = results.length > MOST_RESULTS ? `${MOST_RESULTS} of ` : '';
    show(results, results.length === 0 ? 'Nothing found' : `${shown}${plural(results.length, 'section')} found`);
  } catch {
    if (turn === asked) show([], 'The search could not be loaded.');
  }
}

function onKey(event: KeyboardEvent): void {
  const { key } = event;
  const isOpen = status.textContent !== '';
  if (key === 'ArrowDown' || key === 'ArrowUp') {
    event.preventDefault();
    if (isOpen) choose(Math.max(-1, Math.min(options.length - 1, chosen + (key === 'ArrowDown' ? 1 : -1))));
    else void ask();
  } else if (key === 'Escape' && isOpen) {
    event.preventDefault();
    close();
  }
}

const isMac = /^(?:Mac|iP)/.test(navigator.platform);

/**
 * Control+K leads to the field, and Command+K on a Mac, where Control+K cuts the rest of a line. A key alone would be in
 * the way of people who speak to their computer: https://www.w3.org/TR/WCAG22/#character-key-shortcuts.
 */
function onShortcut(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  const isHeld = ctrlKey !== isMac && metaKey === isMac && !altKey && !shiftKey;
  // In a frame, the field is not shown.
  if (!isHeld || !/^k$/i.test(key) || input.offsetParent === null) return;
  event.preventDefault();
  input.select();
}

/** Lets the field be used: without a script, it is disabled and not shown. */
export function enableSearch(): void {
  input.disabled = false;
  input.setAttribute('aria-keyshortcuts', isMac ? 'Meta+K' : 'Control+K');
  input.addEventListener('focus', () => void search().catch(() => {}));
  input.addEventListener('input', ask);
  input.addEventListener('keydown', onKey);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    // The results that are shown may still be those of the question before.
    if (chosen < 0) await ask();
    (options[chosen] ?? options[0])?.click();
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !form.contains(relatedTarget)) close();
  });
  list.addEventListener('click', close);
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !form.contains(target)) close();
  });
  document.addEventListener('keydown', onShortcut);
}
