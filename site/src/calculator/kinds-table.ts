// The table of all kinds, which answer the same question, and of sets beside them.

import { element, make } from '../shell/dom.ts';
import { adviceOn, sought, tableRow } from './comparison.ts';
import { builtInSet, type ExactSet, exactRow, fingerprintSet } from './exact.ts';
import type { KindRow } from './kind-row.ts';
import { kinds } from './kinds.ts';
import { following, type Question, rowOf } from './solve.ts';

const NONE = '–';
const FIGURES = 3;

interface Cells {
  readonly text: HTMLElement;
  readonly figures: readonly HTMLTableCellElement[];
}

const cells = new Map<KindRow | ExactSet, Cells>();

/** Makes a row from its name, and an element for the text below. */
function rowOfTable(row: KindRow | ExactSet, name: HTMLElement, text: HTMLElement): HTMLElement {
  const figures = Array.from({ length: FIGURES }, (_, i) => make('td', i === 2 ? { class: 'hashes' } : {}));
  cells.set(row, { text, figures });
  return make('tr', {}, make('th', { scope: 'row' }, name, text), ...figures);
}

function rowWith(row: KindRow, onChoose: (kind: string) => void): HTMLElement {
  const { kind } = row;
  const radio = make('input', { type: 'radio', name: 'kind', value: kind, id: `kind-${kind}` });
  radio.addEventListener('change', () => onChoose(kind));
  const text = make('small', { id: `about-${kind}` });
  radio.setAttribute('aria-describedby', text.id);
  return rowOfTable(row, make('label', {}, radio, kind), text);
}

/** A set cannot be chosen: it has no error rate to calculate with. */
function rowOfSet(set: ExactSet): HTMLElement {
  const link = make('a', { href: `docs/kinds.html#${set.anchor}` }, set.className);
  return rowOfTable(set, make('span', { class: 'exact' }, link), make('small'));
}

/** Makes the rows, once, so that updates do not move the focus. */
export function makeKindsTable(onChoose: (kind: string) => void): void {
  const sets = [fingerprintSet, builtInSet].map(rowOfSet);
  element('kinds', HTMLElement).replaceChildren(...kinds.map((row) => rowWith(row, onChoose)), ...sets);
}

/** Updates all rows for a question. */
export function showKinds(question: Question): void {
  element('sought', HTMLElement).textContent = sought[following(question)].name;
  for (const [row, { text, figures }] of cells) {
    const shown = 'kind' in row ? tableRow(question, row) : exactRow(question, row);
    text.textContent = shown.text;
    text.classList.toggle('refused', shown.figures.length === 0);
    for (const [i, cell] of figures.entries()) cell.textContent = shown.figures[i] ?? NONE;
  }
  const chosen = rowOf(question);
  element(`kind-${chosen.kind}`, HTMLInputElement).checked = true;
  const link = make('a', { href: `docs/kinds.html#${chosen.anchor}` }, `More about ${chosen.kind} filters`);
  element('why', HTMLElement).replaceChildren(`${adviceOn(chosen, question)} `, link);
}
