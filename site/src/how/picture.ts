// The picture of a filter: an element for each cell, in blocks.

import { element, make } from '../shell/dom.ts';
import type { PictureKind } from './kind.ts';

export class Picture {
  readonly #root = element('picture', HTMLElement);
  #cells: HTMLElement[] = [];

  /** Makes the cells of a kind. */
  lay({ name, blockCells }: PictureKind, count: number): void {
    this.#cells = Array.from({ length: count }, () => make('i'));
    const blocks = Array.from({ length: count / blockCells }, (_, block) => {
      const cells = this.#cells.slice(block * blockCells, (block + 1) * blockCells);
      return make('div', { class: 'block' }, ...cells);
    });
    this.#root.dataset['kind'] = name;
    this.#root.replaceChildren(...blocks);
  }

  /** Shows the values of the cells. Those that have changed light up, and those that were counted down stand out. */
  show(values: readonly number[], textsOf: PictureKind['show']): void {
    const isEmpty = values.every((value) => value === 0);
    for (const [i, cell] of this.#cells.entries()) {
      const value = values[i] ?? 0;
      const before = Number(cell.dataset['value'] ?? 0);
      cell.dataset['value'] = String(value);
      cell.classList.toggle('on', value > 0);
      cell.classList.toggle('changed', value !== before);
      cell.classList.toggle('lowered', value < before && !isEmpty);
      cell.replaceChildren(...textsOf(value).map((text) => make('span', {}, text)));
    }
  }

  /** Marks the cells of a key. */
  mark(cells: readonly number[]): void {
    for (const [i, cell] of this.#cells.entries()) cell.classList.toggle('marked', cells.includes(i));
  }

  describe(text: string): void {
    this.#root.setAttribute('aria-label', text);
  }
}
