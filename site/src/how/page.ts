// The pages that explain: each has places for some of the steps, by their ids, and the step of the address shows its state.

import './page.css';
import { chooseEngine } from '../engine.ts';
import { element } from '../shell/dom.ts';
import { fromFragment, toFragment } from './address.ts';
import { Section } from './section.ts';
import { steps } from './steps.ts';

const engine = chooseEngine();
const sections = steps
  .filter(({ id }) => document.getElementById(id) !== null)
  .map((row) => new Section(row, ({ fragment }) => history.replaceState(null, '', fragment)));
for (const { row, root } of sections) element(row.id, HTMLElement).replaceWith(root);

/** Shows the step of the address, with its state if it has one. A step that is elsewhere is shown there. */
async function follow(): Promise<void> {
  const address = fromFragment(location.hash);
  const section = sections.find(({ row }) => row.id === address.id);
  const page = steps.find(({ id }) => id === address.id)?.page;
  if (section === undefined && page !== undefined) location.replace(page + location.hash);
  // A link without a state changes nothing in the picture, and the browser follows it.
  if (section === undefined || address.state.size === 0 || toFragment(address) === section.fragment) return;
  await section.show(await engine, address.state);
  section.root.scrollIntoView();
}

/** Shows the step of the address first, then all others. */
async function begin(): Promise<void> {
  await follow();
  for (const section of sections) {
    // Lets the browser answer the reader between two steps.
    await new Promise((resolve) => setTimeout(resolve));
    if (section.root.dataset['shown'] === undefined) await section.show(await engine, new URLSearchParams());
    section.addSharing();
  }
  // Steps above it may have become taller than the room that was reserved for them.
  sections.find(({ row }) => row.id === fromFragment(location.hash).id)?.root.scrollIntoView();
  element('content', HTMLElement).dataset['ready'] = 'true';
}
addEventListener('hashchange', () => void follow());
void begin();
