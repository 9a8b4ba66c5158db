// The page of the calculator.

import './page.css';
import { rareRate } from '../format.ts';
import { element, make } from '../shell/dom.ts';
import { commandLine, construction, typeScript } from './code.ts';
import { colors, curveNames, overrun } from './curves.ts';
import { endlessKinds } from './endless.ts';
import { fields, readers, showFields, showRefusal } from './fields.ts';
import { makeKindsTable, showKinds } from './kinds-table.ts';
import { type Field, Refusal } from './limits.ts';
import { type Answer, changed, first, type Question, rowOf, solve, unread } from './solve.ts';
import { fromQuery, toQuery } from './url.ts';

const NO_COMMAND =
  'The command line cannot make this filter: it takes a capacity and an error rate, and chooses bits and hashes itself.';

let question: Question = first;

function showOverrun(answer: Answer): void {
  const figures = overrun(answer).map(([times, rate]) =>
    make('div', {}, make('dt', {}, `at ${times} ×`), make('dd', {}, rareRate(Number(rate.toPrecision(2))))),
  );
  element('overrun', HTMLElement).replaceChildren(...figures);
}

/** The plots are loaded after the rest of the page, which works without them. */
const plots = import('./plots.ts');

async function drawPlots(answer: Answer): Promise<void> {
  try {
    const { drawBits, drawFilling } = await plots;
    drawFilling(answer);
    drawBits(answer);
  } catch {
    for (const plot of document.querySelectorAll('.plot')) plot.textContent = 'The plot cannot be drawn here.';
  }
}

/** Shows the answer to the question. If there is none, clears the last answer, and says why at a field. */
function show(writing?: Field): void {
  let answer: Answer | undefined;
  let refusal: Refusal | undefined;
  try {
    answer = solve(question);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refusal = error;
  }
  showFields(question, answer, writing);
  const asked = answer ?? question.values;
  showKinds(rowOf(question), asked, answer);
  for (const row of endlessKinds) element(`${row.kind}-code`, HTMLElement).textContent = construction(row, asked);
  if (refusal) showRefusal(refusal.field ?? question.given[1], refusal.message);
  showResults(answer);
}

/** Shows the plots and the code of an answer; clears them without one. */
function showResults(answer: Answer | undefined): void {
  for (const each of document.querySelectorAll('.result')) each.classList.toggle('waiting', answer === undefined);
  element('typescript', HTMLElement).textContent = answer ? typeScript(question, answer) : '';
  const command = answer && commandLine(question, answer);
  element('command', HTMLElement).textContent = command ?? (answer ? NO_COMMAND : '');
  element('copy-command', HTMLButtonElement).disabled = command === undefined;
  if (answer === undefined) return;
  void drawPlots(answer);
  showOverrun(answer);
}

/** Shows the answer to a new question, and keeps the question in the URL if it is valid. */
function ask(next: Question, writing?: Field): void {
  question = next;
  if (unread(question) === undefined) history.replaceState(null, '', `?${toQuery(question)}`);
  show(writing);
}

function change(field: Field, text: string): void {
  const value = readers[field](text) ?? Number.NaN;
  if (field !== 'hashes') ask(changed(question, field, value), field);
  else ask({ ...question, hashes: text.trim() === '' ? undefined : value }, field);
}

function showLegend(): void {
  const items = curveNames.map((label, i) => {
    const swatch = make('span', { class: 'swatch' });
    swatch.style.background = colors[i] ?? '';
    return make('li', {}, swatch, label);
  });
  element('legend', HTMLElement).replaceChildren(...items);
}

for (const field of fields) {
  const input = element(field, HTMLInputElement);
  input.addEventListener('input', () => change(field, input.value));
  // When editing ends, the field shows the value as it was understood, unless it was refused.
  input.addEventListener('change', () => {
    if (input.getAttribute('aria-invalid') !== 'true') show();
  });
}
element('quantities', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copies]')) {
  button.addEventListener('click', async () => {
    const code = element(button.dataset['copies'] ?? '', HTMLElement).textContent;
    await navigator.clipboard.writeText(code).then(
      () => say(button, 'Copied'),
      () => say(button, 'Not allowed'),
    );
  });
}

function say(button: HTMLButtonElement, text: string): void {
  element('copied', HTMLElement).textContent = text;
  button.textContent = text;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2000);
}

makeKindsTable((kind) => ask({ ...question, kind }));
showLegend();
ask(fromQuery(location.search));
