// The page that measures.

import './page.css';
import pages from '../../../bench/results/pages.json' with { type: 'json' };
import { integer } from '../format.ts';
import { copyText } from '../shell/copy.ts';
import { element, factsOf, make, write } from '../shell/dom.ts';
import { barsOf } from './bars.ts';
import { showNodeRuns } from './node-runs.ts';
import { type Row, rowsOf } from './rows.ts';
import { operations, type Plan, type Report, type Result } from './run.ts';
import { fromFragment, toFragment } from './share.ts';
import { nearestTo, type StoredRun, storedName } from './stored.ts';
import { describeAnswers, describeLosses, describeMachine, describePlan } from './wording.ts';

const startButton = element('start', HTMLButtonElement);
const cancelButton = element('cancel', HTMLButtonElement);
const shareButton = element('share', HTMLButtonElement);
const bar = element('progress', HTMLProgressElement);

let worker: Worker | undefined;
/** A result that is not stored: measured here, or from a link. */
let own: { readonly result: Result; readonly origin: string } | undefined;

const storedRuns = pages as readonly StoredRun[];
const storedSelect = element('stored', HTMLSelectElement);

/** Shows a text that screen readers speak; they do not speak the progress. */
function say(text: string): void {
  write('progress-text', text);
  write('announcement', text);
}

function setRunning(isRunning: boolean): void {
  startButton.disabled = isRunning;
  cancelButton.disabled = !isRunning;
}

function showLosses(rows: readonly Row[]): void {
  const losses = describeLosses(rows);
  write(
    'losses-note',
    losses.length === 0
      ? 'Nowhere in this run.'
      : 'How many times as long it takes, by the bars. Where the lines on two bars overlap, more rounds may decide otherwise.',
  );
  const items = losses.map(({ pair, where }) =>
    make('div', {}, make('dt', {}, pair), ...where.map((place) => make('dd', { class: 'number' }, place))),
  );
  element('losses', HTMLElement).replaceChildren(...items);
}

function showMachines(result: Result, beside: Result | undefined, stored: StoredRun | undefined): void {
  const factsAbout = (each: Result): HTMLElement[] => factsOf(describeMachine(each, stored));
  element('machine', HTMLElement).replaceChildren(...factsAbout(result));
  element('beside-machine', HTMLElement).hidden = beside === undefined;
  if (beside) element('beside-facts', HTMLElement).replaceChildren(...factsAbout(beside));
}

/** Shows the visitor's own result, or that of a link, with the stored one beside it; or the stored one alone. */
function show(): void {
  const stored = storedRuns[Number(storedSelect.value)];
  const result = own?.result ?? stored?.result;
  if (result === undefined) return;
  const isAlike = stored?.result.plan.keys === result.plan.keys;
  const beside = own && isAlike ? stored?.result : undefined;
  const origin = own?.origin ?? 'Stored with the project:';
  const note = own && stored && !isAlike ? ` The stored results are of ${integer(stored.result.plan.keys)} keys.` : '';
  write('origin', `${origin} ${describePlan(result)}${note}`);
  const rows = rowsOf(result);
  for (const operation of operations) {
    element(operation, HTMLElement).replaceChildren(...barsOf(rows, operation, beside && rowsOf(beside)));
  }
  showMachines(result, beside, stored);
  showLosses(rows);
  write('answers', describeAnswers(result));
  shareButton.disabled = own === undefined;
}

function keepInUrl(result: Result): void {
  history.replaceState(null, '', toFragment(result));
}

function finish(text: string): void {
  const hadFocus = document.activeElement === cancelButton;
  worker?.terminate();
  worker = undefined;
  setRunning(false);
  say(text);
  if (hadFocus) (shareButton.disabled ? startButton : shareButton).focus({ preventScroll: true });
}

function take(report: Report): void {
  switch (report.type) {
    case 'progress':
      bar.value = report.done;
      write('progress-text', `${report.text} …`);
      break;
    case 'result':
      bar.value = 1;
      // As a link has it, with rounded times: else a tie here might be none there, and the bars in another order.
      own = { result: fromFragment(toFragment(report.result)) ?? report.result, origin: 'Measured here:' };
      show();
      finish('Done: all answers were right.');
      keepInUrl(report.result);
      break;
    case 'failed':
      finish(`Failed: ${report.message}`);
      break;
  }
}

function start(): void {
  const numberOf = (id: string): number => Number(element(id, HTMLSelectElement).value);
  setRunning(true);
  say('Starting …');
  cancelButton.focus({ preventScroll: true });
  worker = new Worker(new URL('./benchmark.worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<Report>) => take(data);
  worker.onerror = ({ message }) => finish(`Failed: ${message || 'a script of this page did not load.'}`);
  worker.postMessage({ keys: numberOf('keys'), rounds: numberOf('rounds') } satisfies Plan);
}

/** Shows the result that the URL carries, if it does. */
function showShared(): void {
  try {
    const shared = fromFragment(location.hash);
    if (shared === undefined) return;
    own = { result: shared, origin: 'From a link, so measured by whoever made it:' };
    show();
    say('This is the result of the link.');
  } catch (error) {
    say(`The result in this link cannot be read: ${(error as Error).message}.`);
  }
}

element('form', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  start();
});
cancelButton.addEventListener('click', () => {
  bar.value = 0;
  finish('Canceled.');
});
shareButton.addEventListener('click', async () => {
  // Restores the fragment, which a link within the page may have replaced.
  if (own) keepInUrl(own.result);
  const isCopied = await copyText(location.href);
  say(isCopied ? 'The link is copied.' : 'The browser did not allow it: copy the URL of this page.');
});
addEventListener('hashchange', showShared);

storedSelect.append(...storedRuns.map((run, i) => make('option', { value: String(i) }, storedName(run))));
storedSelect.value = String(nearestTo(navigator.userAgent, storedRuns));
storedSelect.addEventListener('change', show);
show();
showShared();
showNodeRuns();
element('results', HTMLElement).classList.remove('waiting');
