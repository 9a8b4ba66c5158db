// The part of the page with the repository's own runs in Node, by version and machine.

import type { PastRow, PastRun } from '../../../bench/peers/history.ts';
import history from '../../../bench/results/history.json' with { type: 'json' };
import { integer, percent, short } from '../format.ts';
import { element, make } from '../shell/dom.ts';
import { operations } from './run.ts';
import { nanoseconds } from './wording.ts';

/** `bloomery 0.1.0, Node 24.21.0, AMD EPYC, …, 2026-11-23` */
export function runName({ machine }: PastRun): string {
  const { bloomery, node, cpu, cores, memory, system, date } = machine;
  return `bloomery ${bloomery}, Node ${node.replace(/^v/, '')}, ${cpu}, ${cores} cores, ${memory} GiB, ${system}, ${date}`;
}

function planWords({ keys, errorRate, rounds }: PastRun): string {
  return `${integer(keys)} names of npm packages, error rate ${percent(errorRate)}, medians of ${rounds} rounds.`;
}

/** The times of each operation, `53 / 78`: warm, then cold. No line begins with the stroke. */
function timesOf({ warm, cold }: Pick<PastRow, 'warm' | 'cold'>): string[] {
  return operations.map(
    (operation) => `${nanoseconds(warm[operation].median)}\u00a0/ ${nanoseconds(cold[operation].median)}`,
  );
}

/** Each choice, the fastest to look up a present key first: times warm / cold, bits per key, false positives. */
export function rowsOf({ rows }: PastRun) {
  return [...rows]
    .sort((one, other) => one.warm.hit.median - other.warm.hit.median)
    .map(({ label, ours, warm, cold, bitsPerKey, falsePositives }) => ({
      label,
      ours,
      cells: [...timesOf({ warm, cold }), short(bitsPerKey), percent(Number(falsePositives.toPrecision(2)))],
    }));
}

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

/** Fills the part of the page. */
export function showNodeRuns(): void {
  const select = element('node-run', HTMLSelectElement);
  select.append(...runs.map((run, i) => make('option', { value: String(i) }, runName(run))));
  select.addEventListener('change', () => showRun(runs[Number(select.value)] as PastRun));
  const [newest] = runs;
  if (newest) showRun(newest);
}
