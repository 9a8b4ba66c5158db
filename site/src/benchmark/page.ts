// The page that measures.

import './page.css';
import { element, make } from '../shell/dom.ts';
import { barsOf } from './bars.ts';
import { operations, type Plan, type Report, type Result } from './run.ts';
import { fromFragment, toFragment } from './share.ts';
import { describeAnswers, describeLosses, describeMachine, describePlan } from './wording.ts';

const startButton = element('start', HTMLButtonElement);
const cancelButton = element('cancel', HTMLButtonElement);
const shareButton = element('share', HTMLButtonElement);
const bar = element('progress', HTMLProgressElement);

let worker: Worker | undefined;
let shown: Result | undefined;

function write(id: string, text: string): void {
  element(id, HTMLElement).textContent = text;
}

/** Shows a text that screen readers speak; they do not speak the progress. */
function say(text: string): void {
  write('progress-text', text);
  write('announcement', text);
}

function setRunning(isRunning: boolean): void {
  startButton.disabled = isRunning;
  cancelButton.disabled = !isRunning;
}

function showLosses(result: Result): void {
  const losses = describeLosses(result);
  write(
    'losses-note',
    losses.length === 0
      ? 'In no median of this run.'
      : 'How many times as long it takes, within a round: the median, the lowest and the highest. If the lowest is ' +
          'below 1, more rounds may decide otherwise.',
  );
  const rows = losses.map(({ pair, where }) =>
    make('div', {}, make('dt', {}, pair), ...where.map((place) => make('dd', { class: 'number' }, place))),
  );
  element('losses', HTMLElement).replaceChildren(...rows);
}

function show(result: Result, origin: string): void {
  write('origin', `${origin} ${describePlan(result)}`);
  for (const operation of operations) element(operation, HTMLElement).replaceChildren(...barsOf(result, operation));
  const facts = describeMachine(result.machine, result.plan.keys);
  const cells = facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]);
  element('machine', HTMLElement).replaceChildren(...cells);
  showLosses(result);
  write('answers', describeAnswers(result));
  element('result', HTMLElement).hidden = false;
  shown = result;
  shareButton.disabled = false;
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
      show(report.result, 'Measured here:');
      keepInUrl(report.result);
      finish('Done: all answers were right.');
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
    show(shared, 'From a link, so measured by whoever made it:');
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
  if (shown) keepInUrl(shown);
  await navigator.clipboard.writeText(location.href).then(
    () => say('The link is copied.'),
    () => say('The browser did not allow it: copy the URL of this page.'),
  );
});
addEventListener('hashchange', showShared);
showShared();
