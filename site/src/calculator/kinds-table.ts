// All kinds at the capacity and the error rate that were chosen.

import { byteSize, short } from '../format.ts';
import { element, make } from '../shell/dom.ts';
import { bitsOf, type KindRow, kinds, type Shape } from './kinds.ts';
import type { Answer } from './solve.ts';

const NONE = '–';

function shapeOrNone(row: KindRow, { capacity, errorRate }: Answer): Shape | undefined {
  try {
    return row.shapeFor(capacity, errorRate);
  } catch {
    return undefined;
  }
}

const cells = new Map<KindRow, readonly HTMLTableCellElement[]>();

/** Makes the rows once, so that the focus stays where it is. */
export function makeKindsTable(onChoose: (kind: string) => void): void {
  const rows = kinds.map((row) => {
    const radio = make('input', { type: 'radio', name: 'kind', value: row.kind });
    radio.addEventListener('change', () => onChoose(row.kind));
    const figures = [make('td'), make('td'), make('td')];
    cells.set(row, figures);
    const name = make('th', { scope: 'row' }, make('label', {}, radio, row.kind));
    return make('tr', {}, name, ...figures, make('td', { class: 'text' }, row.bestFor));
  });
  element('kinds', HTMLElement).replaceChildren(...rows);
  element('kinds-table', HTMLElement).classList.remove('waiting');
}

export function showKinds(answer: Answer): void {
  for (const [row, figures] of cells) {
    // The chosen one as it is, also with a number of hashes that is not the best.
    const shape = row === answer.row ? answer.shape : shapeOrNone(row, answer);
    const texts = shape
      ? [byteSize(Math.ceil(bitsOf(shape) / 8)), short(bitsOf(shape) / answer.capacity), String(shape.hashes)]
      : [NONE, NONE, NONE];
    for (const [i, cell] of figures.entries()) cell.textContent = texts[i] ?? NONE;
  }
  const radio = document.querySelector<HTMLInputElement>(`#kinds input[value=${answer.row.kind}]`);
  if (radio) radio.checked = true;
  element('why', HTMLElement).textContent = answer.row.why;
}
