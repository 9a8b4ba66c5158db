// Many bits in little room: a picture like a bar code, as SVG.

import { makeSvg } from '../shell/dom.ts';

/** An empty strip with so many rows, each of `columns` bits. */
export class Strip {
  readonly root: SVGElement;
  readonly #columns: number;
  readonly #path = makeSvg('path');

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    const viewBox = `0 0 ${columns} ${rows}`;
    this.root = makeSvg('svg', { class: 'strip', viewBox, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
    this.root.append(this.#path);
  }

  show(bits: readonly number[]): void {
    const marks = bits.flatMap((bit, at) =>
      bit === 0 ? [] : [`M${at % this.#columns} ${Math.floor(at / this.#columns)}h1v1h-1z`],
    );
    this.#path.setAttribute('d', marks.join(''));
  }
}
