// The part of the page with the repository's own runs in Node, by version and machine.

import type { PastRow, PastRun } from '../../../bench/peers/history.ts';
import history from '../../../bench/results/history.json' with { type: 'json' };
import { integer, percent, short } from '../format.ts';
import { element, make } from '../shell/dom.ts';
import { operations } from './run.ts';
import { nanoseconds } from './wording.ts';

/** `AMD EPYC, 2 cores, 24 GiB, Linux x64` */
function computerName({ machine: { cpu, cores, memory, system } }: PastRun): string {
  return `${cpu}, ${cores} cores, ${memory} GiB, ${system}`;
}

/** `bloomery 0.1.0, Node 24.21.0, AMD EPYC, …, 2026-11-23` */
export function runName(run: PastRun): string {
  const { bloomery, node, date } = run.machine;
  return `bloomery ${bloomery}, Node ${node.replace(/^v/, '')}, ${computerName(run)}, ${date}`;
}

export function planWords({ keys, errorRate, rounds }: PastRun): string {
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

/** The choice that the history follows: the usual filter in batches. */
const FOLLOWED = 'bloomery BloomFilter, batch';

/** The machines, each with its runs, the newest first: date, versions, and the times of the usual filter, warm / cold. */
export function historyOf(runs: readonly PastRun[]) {
  const computers = [...new Set(runs.map(computerName))];
  return computers.map((computer) => ({
    computer,
    runs: runs
      .filter((run) => computerName(run) === computer)
      .map(({ machine: { date, bloomery, node }, rows }) => {
        const row = rows.find(({ label }) => label === FOLLOWED);
        const times = row ? timesOf(row) : operations.map(() => '–');
        return [date, `${bloomery}, Node ${node.replace(/^v/, '')}`, ...times];
      }),
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
