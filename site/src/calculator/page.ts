// The calculator.

import './page.css';
import { rareRate } from '../format.ts';
import { element, make } from '../shell/dom.ts';
import { commandLine, typeScript } from './code.ts';
import { colors, curveNames, overrun } from './curves.ts';
import { type Field, fields, readers, showFields, showRefusal, showWanted } from './fields.ts';

import { makeKindsTable, showKinds } from './kinds-table.ts';
import { type Answer, changed, first, type Question, solve } from './solve.ts';
import { fromQuery, toQuery } from './url.ts';

let question: Question = first;
let answer: Answer = solve(first);

function showOverrun(): void {
  const figures = overrun(answer).map(([times, rate]) =>
    make('div', {}, make('dt', {}, `at ${times} ×`), make('dd', {}, rareRate(Number(rate.toPrecision(2))))),
  );
  element('overrun', HTMLElement).replaceChildren(...figures);
}

/** Loaded after the rest, which works without them. */
const plots = import('./plots.ts');

async function drawPlots(): Promise<void> {
  try {
    const { drawBits, drawFilling } = await plots;
    drawFilling(answer);
    drawBits(answer);
  } catch {
    for (const plot of document.querySelectorAll('.plot')) plot.textContent = 'The plot cannot be drawn here.';
  }
}

function show(writing?: Field): void {
  showFields(question, answer, writing);
  showKinds(answer);
  void drawPlots();
  showOverrun();
  element('typescript', HTMLElement).textContent = typeScript(question, answer);
  element('command', HTMLElement).textContent = commandLine(answer);
}

/** Answers a question, and keeps it in the URL; says why if it has no answer. */
function ask(next: Question, writing?: Field): void {
  try {
    answer = solve(next);
  } catch (error) {
    showRefusal(writing ?? 'errorRate', (error as Error).message);
    return;
  }
  question = next;
  history.replaceState(null, '', `?${toQuery(question)}`);
  show(writing);
}

function change(field: Field, text: string): void {
  const value = readers[field](text);
  if (field === 'hashes') {
    if (value === undefined && text.trim() !== '') showWanted(field);
    else ask({ ...question, hashes: value }, field);
    return;
  }
  if (value === undefined) showWanted(field);
  else ask(changed(question, answer, field, value), field);
}

function chooseKind(kind: string): void {
  const previous = { question, answer };
  ask({ ...question, kind });
  if (question.kind === kind) return;
  // This kind has no such filter: what was chosen stays.
  ({ question, answer } = previous);
  showKinds(answer);
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
  // What was written is shown as it was understood.
  input.addEventListener('change', () => showFields(question, answer, undefined));
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

makeKindsTable(chooseKind);
showLegend();
ask(fromQuery(location.search));
