// The page of the calculator.

import './answer.css';
import './page.css';
import { rareRate } from '../format.ts';
import { Plot } from '../plot/plot.ts';
import { copyOnClick, makeCopyButtons } from '../shell/copy.ts';
import { element, make, write } from '../shell/dom.ts';
import { unfoldTargets } from '../shell/unfold.ts';
import { bitsDrawing, fillingDrawing } from './charts.ts';
import { commandLine, redis, type Snippet, typeScript } from './code.ts';
import { sideBySide } from './comparison.ts';
import { overrun } from './curves.ts';
import { fields, readField, showFields, showNote, whyUnread } from './fields.ts';
import { kinds, rowNamed } from './kinds.ts';
import { makeKindsTable, showKinds } from './kinds-table.ts';
import { type Field, Refusal } from './limits.ts';
import { pasteOf } from './paste.ts';
import {
  type Answer,
  answerOf,
  changed,
  following,
  type Quantity,
  type Question,
  rowOf,
  seeking,
  unread,
} from './solve.ts';
import { speeds } from './transfer.ts';
import { folds, fromQuery, MOST_OTHERS, toQuery, type View } from './url.ts';
import { wordsOf } from './words.ts';

const copyLink = element('copy-link', HTMLButtonElement);
let view: View = fromQuery(location.search);

/** A row of a table: its head, and its other cells. */
function tableRow(head: string, cells: readonly string[]): HTMLTableRowElement {
  return make('tr', {}, make('th', { scope: 'row' }, head), ...cells.map((cell) => make('td', {}, cell)));
}

function showOverrun(answer: Answer): void {
  const figures = overrun(answer).map(([times, rate]) =>
    make('div', {}, make('dt', {}, `at ${times} ×`), make('dd', {}, rareRate(Number(rate.toPrecision(2))))),
  );
  element('overrun', HTMLElement).replaceChildren(...figures);
}

/** @param file the name of the files in which it can be saved */
function plotAt(id: string, file: string): Plot {
  const plot = new Plot(element(id, HTMLElement));
  plot.addSavers(element(`${id}-files`, HTMLElement), file);
  return plot;
}

const filling = plotAt('filling-plot', 'bloomery-error-rate');
const bits = plotAt('bits-plot', 'bloomery-bits-per-key');

const isAnswer = (each: Answer | Refusal): each is Answer => !(each instanceof Refusal);

/** The kinds side by side: the chosen one first. */
function compared(): ReturnType<typeof rowNamed>[] {
  const names = new Set([view.question.kind, ...view.others]);
  return [...names].map(rowNamed);
}

function showSideBySide(): void {
  const rows = compared();
  const head = rows.map(({ kind }) => make('th', { scope: 'col' }, kind));
  element('beside-head', HTMLElement).replaceChildren(make('td'), ...head);
  const body = sideBySide(view.question, rows, view.speed).map(({ name, values }) => tableRow(name, values));
  element('beside', HTMLElement).replaceChildren(...body);
}

function showSnippet(name: string, { code = '', note = '' }: Snippet): void {
  const block = element(name, HTMLElement);
  block.textContent = code;
  block.parentElement?.toggleAttribute('hidden', code === '');
  write(`${name}-note`, note);
  element(`copy-${name}`, HTMLButtonElement).disabled = code === '';
}

/** Shows all that follows from an answer; clears it without one. */
function showResults(answer: Answer | undefined): void {
  for (const each of document.querySelectorAll('.result')) each.classList.toggle('waiting', answer === undefined);
  if (answer === undefined) {
    write('paste', '');
    write('words', 'There is no such filter: see the message above.');
    for (const name of ['typescript', 'command', 'redis']) showSnippet(name, {});
    return;
  }
  write('paste', pasteOf(view.question, answer));
  write('words', wordsOf(answer));
  showOverrun(answer);
  showSnippet('typescript', { code: typeScript(view.question, answer) });
  showSnippet('command', commandLine(view.question, answer));
  showSnippet('redis', redis(answer));
  const others = compared()
    .slice(1)
    .map((row) => answerOf(view.question, row))
    .filter(isAnswer);
  filling.draw((width, height) => fillingDrawing([answer, ...others], width, height));
  bits.draw((width, height) => bitsDrawing(answer.capacity, answer, width, height));
}

/** Shows the answer to the question. If there is none, clears the last answer, and says why at a field. */
function show(writing?: Field): void {
  const { question } = view;
  const found = answerOf(question, rowOf(question));
  const answer = isAnswer(found) ? found : undefined;
  showFields(question, answer, writing);
  showKinds(question);
  element(`ask-${following(question)}`, HTMLInputElement).checked = true;
  if (!isAnswer(found)) {
    const field = found.field ?? question.given[1];
    const isUnread = unread(question) === field;
    showNote(field, (isUnread ? whyUnread(field) : undefined) ?? found.message, true);
  }
  copyLink.disabled = unread(question) !== undefined;
  write('words-title', `A ${question.kind} filter`);
  showSideBySide();
  showResults(answer);
}

/** Shows another view, and keeps it in the URL if its question can be read. */
function look(next: View, writing?: Field): void {
  view = next;
  show(writing);
  // Last, because browsers refuse to write the address as often as a key that is held down repeats.
  if (unread(view.question) === undefined) history.replaceState(null, '', `?${toQuery(view)}`);
}

const ask = (question: Question, writing?: Field): void => look({ ...view, question }, writing);

function change(field: Field, text: string): void {
  const { question } = view;
  const value = readField(field, text);
  if (field !== 'hashes') ask(changed(question, field, value), field);
  else ask({ ...question, hashes: text.trim() === '' ? undefined : value }, field);
}

for (const field of fields) {
  const input = element(field, HTMLInputElement);
  input.addEventListener('input', () => change(field, input.value));
  // When editing ends, the field shows the value as it was understood, unless it was refused.
  input.addEventListener('change', () => {
    if (input.getAttribute('aria-invalid') !== 'true') show();
  });
}
for (const form of document.querySelectorAll('form'))
  form.addEventListener('submit', (event) => event.preventDefault());
for (const radio of document.querySelectorAll<HTMLInputElement>('input[name=ask]')) {
  radio.addEventListener('change', () => ask(seeking(view.question, radio.value as Quantity)));
}

const speed = element('speed', HTMLSelectElement);
speed.append(
  ...speeds.map(({ megabits, name }) => make('option', { value: String(megabits) }, `${megabits} Mbit/s: ${name}`)),
);
speed.value = String(view.speed);
speed.addEventListener('change', () => look({ ...view, speed: Number(speed.value) }));

const selects = Array.from({ length: MOST_OTHERS }, (_, i) => element(`beside-${i + 1}`, HTMLSelectElement));
for (const [i, select] of selects.entries()) {
  select.append(
    make('option', { value: '' }, 'none'),
    ...kinds.map(({ kind }) => make('option', { value: kind }, kind)),
  );
  select.value = view.others[i] ?? '';
  select.addEventListener('change', () =>
    look({ ...view, others: selects.map(({ value }) => value).filter((value) => value !== '') }),
  );
}

const details = folds.map((name) => [name, element(`fold-${name}`, HTMLDetailsElement)] as const);
for (const [name, fold] of details) {
  fold.open = view.open.includes(name);
  fold.addEventListener('toggle', () => {
    const open = details.filter(([, each]) => each.open).map(([each]) => each);
    if (open.join() !== view.open.join()) look({ ...view, open });
  });
}
unfoldTargets();

makeCopyButtons();
copyOnClick(copyLink, () => new URL(`?${toQuery(view)}`, location.href).href);
makeKindsTable((kind) => ask({ ...view.question, kind }));
show();
element('calculator', HTMLElement).classList.remove('waiting');
