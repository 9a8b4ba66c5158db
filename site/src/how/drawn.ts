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

/** Bits as a bar code, in rows of `columns` bits. */
export function stripOf(bits: readonly number[], columns: number): SVGElement {
  const viewBox = `0 0 ${columns} ${bits.length / columns}`;
  const strip = makeSvg('svg', { class: 'strip', viewBox, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  const marks = bits.flatMap((bit, at) => (bit === 0 ? [] : [`M${at % columns} ${Math.floor(at / columns)}h1v1h-1z`]));
  strip.append(makeSvg('path', { d: marks.join('') }));
  return strip;
}
