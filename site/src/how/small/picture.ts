// The picture of a small filter: an element for each cell, with its number, and lines from a key's hash to its cells.

import { make } from '../../shell/dom.ts';
import type { PictureKind } from './kind.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** The columns of a bucket kind, each below its number. */
function blockOf(cells: readonly HTMLElement[], first: number, bucketCells: number | undefined): HTMLElement {
  if (bucketCells === undefined) return make('div', { class: 'block' }, ...cells);
  const columns = Array.from({ length: cells.length / bucketCells }, (_, i) => {
    const number = make('b', {}, String(first / bucketCells + i));
    return make('div', { class: 'bucket' }, number, ...cells.slice(i * bucketCells, (i + 1) * bucketCells));
  });
  return make('div', { class: 'block buckets' }, ...columns);
}

export class Picture {
  readonly root: HTMLElement;
  readonly #source: HTMLElement;
  readonly #lines = document.createElementNS(SVG, 'svg');
  readonly #cells: readonly HTMLElement[];
  readonly #bucketCells: number | undefined;
  #marked: readonly number[] = [];

  /** @param source the element from which lines lead to the cells of a key */
  constructor({ name, blockCells, bucketCells }: PictureKind, count: number, source: HTMLElement) {
    this.#source = source;
    this.#bucketCells = bucketCells;
    this.#cells = Array.from({ length: count }, (_, i) => make('i', { 'data-cell': String(i) }));
    const blocks = Array.from({ length: count / blockCells }, (_, block) => {
      const first = block * blockCells;
      return blockOf(this.#cells.slice(first, first + blockCells), first, bucketCells);
    });
    const grid = make('div', { class: 'cells', 'data-kind': name, role: 'img' }, ...blocks);
    this.#lines.setAttribute('class', 'lines');
    this.#lines.setAttribute('aria-hidden', 'true');
    this.root = make('div', { class: 'picture' }, source, grid, this.#lines);
    new ResizeObserver(() => this.#draw()).observe(this.root);
  }

  cellAt(index: number): HTMLElement {
    return this.#cells[index] as HTMLElement;
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
    this.#marked = cells;
    for (const [i, cell] of this.#cells.entries()) cell.classList.toggle('marked', cells.includes(i));
    this.#draw();
  }

  describe(text: string): void {
    this.root.querySelector('.cells')?.setAttribute('aria-label', text);
  }

  /** Draws a line to each cell of the key, or to the heads of its buckets. */
  #draw(): void {
    const source = this.#source;
    const begin = { x1: source.offsetLeft + source.offsetWidth / 2, y1: source.offsetTop + source.offsetHeight };
    const size = this.#bucketCells ?? 1;
    const heads = new Set(this.#marked.map((cell) => cell - (cell % size)));
    const lines = [...heads].map((cell) => {
      // Not the bounding box, which an animation changes.
      const { offsetLeft, offsetWidth, offsetTop } = this.cellAt(cell);
      const line = document.createElementNS(SVG, 'line');
      const ends = { ...begin, x2: offsetLeft + offsetWidth / 2, y2: offsetTop };
      for (const [name, value] of Object.entries(ends)) line.setAttribute(name, String(value));
      return line;
    });
    this.#lines.replaceChildren(...lines);
  }
}
