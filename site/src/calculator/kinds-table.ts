// The table of all kinds, which answer the same question.

import { element, make } from '../shell/dom.ts';
import { adviceOn, sought, tableRow } from './comparison.ts';
import type { KindRow } from './kind-row.ts';
import { kinds } from './kinds.ts';
import { following, type Question, rowOf } from './solve.ts';

const NONE = '–';
const FIGURES = 3;

interface Cells {
  readonly text: HTMLElement;
  readonly figures: readonly HTMLTableCellElement[];
}

const cells = new Map<KindRow, Cells>();

function rowWith(row: KindRow, onChoose: (kind: string) => void): HTMLElement {
  const { kind } = row;
  const radio = make('input', { type: 'radio', name: 'kind', value: kind, id: `kind-${kind}` });
  radio.addEventListener('change', () => onChoose(kind));
  const text = make('small', { id: `about-${kind}` });
  radio.setAttribute('aria-describedby', text.id);
  const figures = Array.from({ length: FIGURES }, (_, i) => make('td', i === 2 ? { class: 'hashes' } : {}));
  cells.set(row, { text, figures });
  const name = make('label', {}, radio, kind);
  return make('tr', {}, make('th', { scope: 'row' }, name, text), ...figures);
}

/** Makes the rows, once, so that updates do not move the focus. */
export function makeKindsTable(onChoose: (kind: string) => void): void {
  element('kinds', HTMLElement).replaceChildren(...kinds.map((row) => rowWith(row, onChoose)));
}

/** Updates all rows for a question. */
export function showKinds(question: Question): void {
  element('sought', HTMLElement).textContent = sought[following(question)];
  for (const [row, { text, figures }] of cells) {
    const shown = tableRow(question, row);
    text.textContent = shown.text;
    text.classList.toggle('refused', shown.figures.length === 0);
    for (const [i, cell] of figures.entries()) cell.textContent = shown.figures[i] ?? NONE;
  }
  const chosen = rowOf(question);
  element(`kind-${chosen.kind}`, HTMLInputElement).checked = true;
  const link = make('a', { href: `docs/kinds.html#${chosen.anchor}` }, `More about ${chosen.kind} filters`);
  element('why', HTMLElement).replaceChildren(`${adviceOn(chosen, question)} `, link);
  element('formula', HTMLElement).textContent = chosen.formula;
}
