// One step, for a frame on another page.

import './page.css';
import './embed.css';
import { chooseEngine } from '../engine.ts';
import { element } from '../shell/dom.ts';
import { fromFragment } from './address.ts';
import { Section } from './section.ts';
import type { StepRow } from './step.ts';
import { steps } from './steps.ts';

function showLink(section: Section): void {
  element('source', HTMLAnchorElement).href = section.row.page + section.fragment;
}

async function showStep(): Promise<void> {
  const { id, state } = fromFragment(location.hash);
  const row = steps.find((each) => each.id === id) ?? (steps[0] as StepRow);
  const section = new Section(row, showLink);
  element('walk', HTMLElement).replaceChildren(section.root);
  await section.show(await chooseEngine(), state);
  // Another step may have been chosen while this one was loading.
  if (!section.root.isConnected) return;
  document.title = `${row.title} – bloomery`;
  showLink(section);
  // Only now, so that the picture does not push it down.
  element('below', HTMLElement).hidden = false;
}

addEventListener('hashchange', () => void showStep());
void showStep();
