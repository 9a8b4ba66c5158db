// Lines between elements of a picture, as SVG above it.

const SVG = 'http://www.w3.org/2000/svg';

interface Link {
  readonly from: HTMLElement;
  readonly to: HTMLElement;
  /** A class of the line. */
  readonly look?: string;
}

export class Lines {
  readonly root = document.createElementNS(SVG, 'svg');
  #links: readonly Link[] = [];
  #frame = 0;

  /** @param frame an element with a position of its own, in which the ends of all lines are */
  constructor(frame: HTMLElement) {
    this.root.setAttribute('class', 'lines');
    this.root.setAttribute('aria-hidden', 'true');
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
    const lines = this.#links.map(({ from, to, look = '' }) => {
      const line = document.createElementNS(SVG, 'line');
      // Not their bounding boxes, which an animation changes.
      const ends = {
        x1: from.offsetLeft + from.offsetWidth / 2,
        y1: from.offsetTop + from.offsetHeight,
        x2: to.offsetLeft + to.offsetWidth / 2,
        y2: to.offsetTop,
      };
      for (const [name, value] of Object.entries(ends)) line.setAttribute(name, String(value));
      line.setAttribute('class', look);
      return line;
    });
    this.root.replaceChildren(...lines);
  }
}
