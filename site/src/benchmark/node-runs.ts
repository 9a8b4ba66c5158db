// The part of the page with the repository's own runs in Node.

import type { PastRun } from '../../../bench/peers/history.ts';
import history from '../../../bench/results/history.json' with { type: 'json' };
import { element, make } from '../shell/dom.ts';
import { historyOf, planWords, rowsOf, runName } from './history.ts';

const runs: readonly PastRun[] = history;

/** The first cells are times. What follows has no room on a narrow page. */
const TIMES = 3;

function showRun(run: PastRun): void {
  const rows = rowsOf(run).map(({ label, ours, cells }) =>
    make(
      'tr',
      ours ? { class: 'ours' } : {},
      make('th', { scope: 'row' }, label),
      ...cells.map((cell, i) => make('td', i < TIMES ? {} : { class: 'wide' }, cell)),
    ),
  );
  element('node-rows', HTMLElement).replaceChildren(...rows);
  element('node-plan', HTMLElement).textContent = planWords(run);
  const losses = run.losses.length > 0 ? run.losses : ['Nothing was faster than bloomery in this run.'];
  element('node-losses', HTMLElement).replaceChildren(...losses.map((loss) => make('li', {}, loss)));
}

function showHistory(): void {
  const bodies = historyOf(runs).map(({ computer, runs: ofComputer }) =>
    make(
      'tbody',
      {},
      make('tr', {}, make('th', { scope: 'rowgroup', colspan: '5' }, computer)),
      ...ofComputer.map((cells) => make('tr', {}, ...cells.map((cell) => make('td', {}, cell)))),
    ),
  );
  element('history', HTMLElement).append(...bodies);
}

/** Fills the part of the page. */
export function showNodeRuns(): void {
  const select = element('node-run', HTMLSelectElement);
  select.append(...runs.map((run, i) => make('option', { value: String(i) }, runName(run))));
  select.addEventListener('change', () => showRun(runs[Number(select.value)] as PastRun));
  const [newest] = runs;
  if (newest) showRun(newest);
  showHistory();
}
