// Runs on every page of the documentation: what code blocks, folded sections and the contents need.

import './page.css';
import { copyOnClick } from '../shell/copy.ts';
import { unfoldTargets } from '../shell/unfold.ts';

unfoldTargets();

for (const button of document.querySelectorAll<HTMLButtonElement>('.copy')) {
  button.disabled = false;
  copyOnClick(button, () => button.parentElement?.querySelector('code')?.textContent ?? '');
}

// On wide screens, the contents stand beside the document, with a scroll bar of their own. They begin with a whole row,
// which is the title of the open page's group if that is near.
const current = document.querySelector<HTMLElement>('.docs-contents [aria-current]');
const contents = current?.closest('nav');
if (current && contents) {
  const isNear = (row: HTMLElement): boolean => current.offsetTop - row.offsetTop < contents.clientHeight / 2;
  const title = [...contents.querySelectorAll('h2')].findLast(({ offsetTop }) => offsetTop < current.offsetTop);
  const rows = contents.querySelectorAll<HTMLElement>('h2, a');
  const first = title && isNear(title) ? title : [...rows].find(isNear);
  contents.scrollTop = (first?.offsetTop ?? 0) - contents.offsetTop;
}
