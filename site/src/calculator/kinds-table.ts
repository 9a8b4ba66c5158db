// The table of all kinds at the chosen capacity and error rate.

import { byteSize, short } from '../format.ts';
import { element, make } from '../shell/dom.ts';
import { type Asked, adviceOn } from './advice.ts';
import { endlessKinds } from './endless.ts';
import { type KindRow, kinds, type Shape, type SizedKind } from './kinds.ts';
import { labeledKinds } from './labeled.ts';
import { Refusal, shapeFor } from './limits.ts';
import type { Answer } from './solve.ts';

const NONE = '–';
const noFigures = [NONE, NONE, NONE];

function figuresOf({ cells, cellBits, hashes }: Shape, capacity: number): readonly string[] {
  const bits = cells * cellBits;
  return [byteSize(Math.ceil(bits / 8)), short(bits / capacity), String(hashes)];
}

/** The cells of a row: the figures of a kind, and what it is best for, or why there is no such filter. */
function rowTexts(row: SizedKind, { capacity, errorRate }: Asked): readonly string[] {
  try {
    return [...figuresOf(shapeFor(row, capacity, errorRate), capacity), row.bestFor];
  } catch (error) {
    if (error instanceof Refusal) return [...noFigures, error.message];
    throw error;
  }
}

const cells = new Map<SizedKind, readonly HTMLTableCellElement[]>();

function radioFor({ kind }: KindRow, onChoose: (kind: string) => void): HTMLElement {
  const radio = make('input', { type: 'radio', name: 'kind', value: kind });
  radio.addEventListener('change', () => onChoose(kind));
  return make('label', {}, radio, kind);
}

function rowWith(name: HTMLElement | string, row: SizedKind): HTMLElement {
  const texts = [make('td'), make('td'), make('td'), make('td', { class: 'text' }, row.bestFor)];
  cells.set(row, texts);
  return make('tr', {}, make('th', { scope: 'row' }, name), ...texts);
}

/** Makes the rows, once, so that updates do not move the focus. */
export function makeKindsTable(onChoose: (kind: string) => void): void {
  const rows = [
    ...kinds.map((row) => rowWith(radioFor(row, onChoose), row)),
    ...[...labeledKinds, ...endlessKinds].map((row) => rowWith(row.kind, row)),
  ];
  element('kinds', HTMLElement).replaceChildren(...rows);
  element('kinds-table', HTMLElement).classList.remove('waiting');
}

/** Updates all rows for the wanted capacity and error rate, if known. The row of the chosen kind shows the answer. */
export function showKinds(chosen: KindRow, asked: Partial<Asked>, answer: Answer | undefined): void {
  const { capacity, errorRate } = asked;
  for (const [row, each] of cells) {
    const texts =
      row === chosen && answer
        ? [...figuresOf(answer.shape, answer.capacity), row.bestFor]
        : capacity && errorRate
          ? rowTexts(row, { capacity, errorRate })
          : [...noFigures, row.bestFor];
    for (const [i, cell] of each.entries()) cell.textContent = texts[i] ?? NONE;
  }
  const radio = document.querySelector<HTMLInputElement>(`#kinds input[value=${chosen.kind}]`);
  if (radio) radio.checked = true;
  element('why', HTMLElement).textContent = adviceOn(chosen, asked);
}
