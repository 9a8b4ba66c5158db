// Parts of pictures as SVG: lines between elements, and many bits in little room.

import { makeSvg } from '../shell/dom.ts';

interface Link {
  readonly from: HTMLElement;
  readonly to: HTMLElement;
  /** A class of the line. */
  readonly look?: string;
}

export class Lines {
  readonly root = makeSvg('svg', { class: 'lines', 'aria-hidden': 'true' });
  #links: readonly Link[] = [];
  #frame = 0;

  /** @param frame an element with a position of its own, in which the ends of all lines are */
  constructor(frame: HTMLElement) {
    frame.append(this.root);
    new ResizeObserver(() => this.#draw()).observe(frame);
  }

  /** Draws lines from the middle of the lower edge of elements to that of the upper edge of others. */
  show(links: readonly Link[]): void {
    this.#links = links;
    // In the next frame, for which the browser computes the layout anyway.
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    const lines = this.#links.map(({ from, to, look = '' }) =>
      // Not from their bounding boxes, which an animation changes.
      makeSvg('line', {
        class: look,
        x1: from.offsetLeft + from.offsetWidth / 2,
        y1: from.offsetTop + from.offsetHeight,
        x2: to.offsetLeft + to.offsetWidth / 2,
        y2: to.offsetTop,
      }),
    );
    this.root.replaceChildren(...lines);
  }
}

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
