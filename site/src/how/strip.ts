// Many bits in little room: a picture like a bar code, as SVG.

const SVG = 'http://www.w3.org/2000/svg';

/** An empty strip with so many rows, each of `columns` bits. */
export class Strip {
  readonly root = document.createElementNS(SVG, 'svg');
  readonly #columns: number;
  readonly #path = document.createElementNS(SVG, 'path');

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.root.setAttribute('class', 'strip');
    this.root.setAttribute('viewBox', `0 0 ${columns} ${rows}`);
    this.root.setAttribute('preserveAspectRatio', 'none');
    this.root.setAttribute('aria-hidden', 'true');
    this.root.append(this.#path);
  }

  show(bits: readonly number[]): void {
    const marks = bits.flatMap((bit, at) =>
      bit === 0 ? [] : [`M${at % this.#columns} ${Math.floor(at / this.#columns)}h1v1h-1z`],
    );
    this.#path.setAttribute('d', marks.join(''));
  }
}
