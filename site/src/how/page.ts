// The walk: every step below the other, with the one in view in the address.

import './page.css';
import { chooseEngine } from '../engine.ts';
import { element, make } from '../shell/dom.ts';
import { fromFragment, toFragment } from './address.ts';
import { pageTurn, stepAfter } from './keys.ts';
import { Section } from './section.ts';
import { steps } from './steps.ts';

const engine = chooseEngine();
const sections = steps.map((row, i) => new Section(row, `${i + 1} of ${steps.length}`, keptIn));
const links = steps.map(({ id, label }, i) => {
  const number = make('span', { class: 'number', 'aria-hidden': 'true' }, String(i + 1));
  return make('a', { href: `#${id}` }, number, make('span', { class: 'step-label' }, label));
});
/** Those that have their links below them. */
const linked = new Set<Section>();
/** The step in view. */
let current = 0;

function keptIn(section: Section): void {
  // A step may change when another one is in view: it may still be counting when the reader goes on.
  if (sections[current] === section) history.replaceState(null, '', section.fragment);
}

function enter(index: number): void {
  current = index;
  for (const [i, link] of links.entries()) {
    if (i === index) link.setAttribute('aria-current', 'step');
    else link.removeAttribute('aria-current');
  }
}

function goTo(index: number): void {
  const section = sections[index] as Section;
  enter(index);
  history.replaceState(null, '', section.fragment);
  section.root.scrollIntoView();
  // What was seen before the jump would make the step that was left the one in view again.
  observer.takeRecords();
  section.heading.focus({ preventScroll: true });
}

/** Shows a step. Its links come last, so that nothing that can be seen moves. */
async function show(section: Section, state: URLSearchParams): Promise<void> {
  await section.show(await engine, state);
  if (linked.has(section)) return;
  linked.add(section);
  section.addSharing();
  const next = steps[sections.indexOf(section) + 1];
  if (next) {
    const link = make('a', { href: `#${next.id}` }, `Next: ${next.title}`);
    section.root.append(make('p', { class: 'step-next' }, link));
  }
}

/** Shows the step of the address, with its state if it has one. Returns its index, or -1 if there is no such step. */
async function follow(): Promise<number> {
  const address = fromFragment(location.hash);
  const index = steps.findIndex(({ id }) => id === address.id);
  const section = sections[index];
  if (section === undefined) return -1;
  // A link without a state, such as those in the list of steps, changes nothing in the picture.
  const isNew = address.state.size > 0 && toFragment(address) !== section.fragment;
  if (isNew || section.root.dataset['shown'] === undefined) await show(section, address.state);
  goTo(index);
  return index;
}

/** Watches a thin band of the window: the step in it is the one in view. */
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const index = sections.findIndex(({ root }) => root === target);
      if (!isIntersecting || index === current) continue;
      enter(index);
      history.replaceState(null, '', (sections[index] as Section).fragment);
    }
  },
  { rootMargin: '-40% 0px -59% 0px' },
);

addEventListener('keydown', (event) => {
  const { target, key, altKey, ctrlKey, metaKey, shiftKey, defaultPrevented } = event;
  if (defaultPrevented || altKey || ctrlKey || metaKey || shiftKey) return;
  if (target instanceof Element && target.closest('input, select, textarea, summary')) return;
  const { top, bottom } = (sections[current] as Section).root.getBoundingClientRect();
  const index = stepAfter(current, key, steps.length) ?? pageTurn(current, key, steps.length, top, bottom, innerHeight);
  if (index === undefined) return;
  event.preventDefault();
  goTo(index);
});
addEventListener('hashchange', () => void follow());

element('steps', HTMLElement).replaceChildren(...links.map((link) => make('li', {}, link)));
element('walk', HTMLElement).replaceChildren(...sections.map(({ root }) => root));
enter(0);

/** Shows the step of the address first, then all others. */
async function begin(): Promise<void> {
  const first = await follow();
  for (const section of sections) {
    // Lets the browser answer the reader between two steps.
    await new Promise((resolve) => setTimeout(resolve));
    if (section.root.dataset['shown'] === undefined) await show(section, new URLSearchParams());
  }
  // Steps above it may have become taller than the room that was reserved for them.
  if (first >= 0 && first === current) sections[first]?.root.scrollIntoView();
  for (const { root } of sections) observer.observe(root);
  element('walk', HTMLElement).dataset['ready'] = 'true';
}
void begin();
