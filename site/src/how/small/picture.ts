// The picture of a small filter: an element for each cell, with its number, and lines from a key's hash to its cells.

import { make } from '../../shell/dom.ts';
import { Lines } from '../drawn.ts';
import type { PictureKind } from './kind.ts';
import { partsOf } from './saved-cells.ts';

const FLIGHT_MS = 500;

/** The cells; those of a kind that has buckets in columns, each below its number. */
function blockOf(cells: readonly HTMLElement[], bucketCells: number | undefined): HTMLElement {
  if (bucketCells === undefined) return make('div', { class: 'block' }, ...cells);
  const columns = partsOf(cells, bucketCells).map((own, i) =>
    make('div', { class: 'bucket' }, make('b', {}, String(i)), ...own),
  );
  return make('div', { class: 'buckets' }, ...columns);
}

export class Picture {
  readonly root: HTMLElement;
  readonly #source: HTMLElement;
  readonly #grid: HTMLElement;
  readonly #lines: Lines;
  readonly #cells: readonly HTMLElement[];
  readonly #kind: PictureKind;

  /** @param source the element from which lines lead to the cells of a key */
  constructor(kind: PictureKind, count: number, source: HTMLElement) {
    this.#kind = kind;
    this.#source = source;
    this.#cells = Array.from({ length: count }, (_, i) => make('i', { 'data-cell': String(i) }));
    this.#grid = make(
      'div',
      { class: `cells of-${kind.cellName}s`, role: 'img' },
      blockOf(this.#cells, kind.bucketCells),
    );
    this.root = make('div', { class: 'picture' }, source, this.#grid);
    this.#lines = new Lines(this.root);
  }

  #cellAt(index: number): HTMLElement {
    return this.#cells[index] as HTMLElement;
  }

  /** Shows the values of the cells. Those that have changed light up. */
  show(values: readonly number[]): void {
    for (const [i, cell] of this.#cells.entries()) {
      const value = values[i] ?? 0;
      const before = Number(cell.dataset['value'] ?? 0);
      cell.dataset['value'] = String(value);
      cell.classList.toggle('on', value > 0);
      cell.classList.toggle('changed', value !== before);
      cell.textContent = this.#kind.show(value);
    }
  }

  /** Marks the cells of a key, draws a line to each, or to the heads of its buckets, and says so in words. */
  mark(cells: readonly number[], text: string): void {
    for (const [i, cell] of this.#cells.entries()) cell.classList.toggle('marked', cells.includes(i));
    const { bucketCells = 1 } = this.#kind;
    const heads = new Set(cells.map((cell) => cell - (cell % bucketCells)));
    this.#lines.show([...heads].map((cell) => ({ from: this.#source, to: this.#cellAt(cell) })));
    this.#grid.setAttribute('aria-label', text);
  }

  /**
   * Lets a text fly from a cell, or from the hash of the key, to another cell.
   *
   * @param from undefined for the hash
   */
  async fly(text: string, from: number | undefined, to: number): Promise<void> {
    const begin = from === undefined ? this.#source : this.#cellAt(from);
    const end = this.#cellAt(to);
    const ghost = make('i', { class: 'ghost', 'aria-hidden': 'true' }, text);
    Object.assign(ghost.style, {
      left: `${end.offsetLeft}px`,
      top: `${end.offsetTop}px`,
      width: `${end.offsetWidth}px`,
      height: `${end.offsetHeight}px`,
    });
    this.root.append(ghost);
    const x = begin.offsetLeft + begin.offsetWidth / 2 - (end.offsetLeft + end.offsetWidth / 2);
    const y = begin.offsetTop + begin.offsetHeight / 2 - (end.offsetTop + end.offsetHeight / 2);
    const keyframes = [{ transform: `translate(${x}px, ${y}px)` }, { transform: 'none' }];
    const timing = { duration: FLIGHT_MS, easing: 'ease-in-out' };
    await ghost.animate(keyframes, timing).finished.catch(() => {});
    ghost.remove();
  }
}
