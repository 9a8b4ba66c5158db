// A picture of the file: a cell for each page of it, marked once it has been read.

import { make } from '../shell/dom.ts';
import { PAGE_BYTES, type Range } from './list.ts';

export class FilePicture {
  readonly #cells: readonly HTMLElement[];
  readonly #read = new Set<number>();

  /** Fills an element with the cells of a file of `bytes` bytes. */
  constructor(parent: HTMLElement, bytes: number) {
    this.#cells = Array.from({ length: Math.ceil(bytes / PAGE_BYTES) }, () => make('i'));
    parent.replaceChildren(...this.#cells);
  }

  get pages(): number {
    return this.#cells.length;
  }

  /** The number of pages of which something was read. */
  get pagesRead(): number {
    return this.#read.size;
  }

  /** Marks what was read, and as new nothing but that. */
  mark({ first, last }: Range): void {
    for (const cell of this.#cells) cell.classList.remove('new');
    for (let page = Math.floor(first / PAGE_BYTES); page <= Math.floor(last / PAGE_BYTES); page++) {
      this.#read.add(page);
      this.#cells[page]?.classList.add('read', 'new');
    }
  }
}
