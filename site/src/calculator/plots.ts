// Shows a drawing in the page, in the colors of the theme, and saves it as a file.

import { element, make } from '../shell/dom.ts';
import { download } from '../shell/download.ts';
import { type Drawing, paint, paletteOf, type Theme, toSvg } from './drawing.ts';

/** The theme of the page as the browser computes it: it may come from the system, or from forced colors. */
function theme(): Theme {
  const [red = 0, green = 0, blue = 0] =
    getComputedStyle(document.documentElement)
      .backgroundColor.match(/[\d.]+/g)
      ?.map(Number) ?? [];
  return red + green + blue < 3 * 128 ? 'dark' : 'light';
}

/** Files are twice as large as the page, so that they stay sharp. */
const PNG_SCALE = 2;
/** The size of a drawing in a file. */
const FILE_SIZE = [720, 420] as const;

type Draw = (width: number, height: number) => Drawing;

/** A plot that fills its element, and whose contents are replaced. */
export class Plot {
  readonly #root: HTMLElement;
  readonly #name: string;
  #draw: Draw | undefined;

  /**
   * @param id of the element, which is followed by a list of buttons with the same id and `-files`
   * @param name of the files
   */
  constructor(id: string, name: string) {
    this.#root = element(id, HTMLElement);
    this.#name = name;
    new ResizeObserver(() => this.#show()).observe(this.#root);
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
      matchMedia(query).addEventListener('change', () => this.#show());
    }
    const svg = make('button', { type: 'button' }, 'Save as SVG');
    svg.addEventListener('click', () => this.#saveSvg());
    const png = make('button', { type: 'button' }, 'Save as PNG');
    png.addEventListener('click', () => this.#savePng());
    element(`${id}-files`, HTMLElement).replaceChildren(svg, png);
  }

  draw(draw: Draw): void {
    this.#draw = draw;
    this.#show();
  }

  #show(): void {
    const { clientWidth, clientHeight } = this.#root;
    if (this.#draw === undefined || clientWidth === 0) return;
    const text = toSvg(this.#draw(clientWidth, clientHeight), paletteOf(theme()));
    const { documentElement } = new DOMParser().parseFromString(text, 'image/svg+xml');
    this.#root.replaceChildren(document.importNode(documentElement, true));
  }

  #saveSvg(): void {
    if (this.#draw === undefined) return;
    const text = toSvg(this.#draw(...FILE_SIZE), paletteOf(theme()));
    download(new Blob([text], { type: 'image/svg+xml' }), `${this.#name}.svg`);
  }

  #savePng(): void {
    const [width, height] = FILE_SIZE;
    const canvas = make('canvas', { width: String(PNG_SCALE * width), height: String(PNG_SCALE * height) });
    const brush = canvas.getContext('2d');
    if (this.#draw === undefined || brush === null) return;
    paint(brush, this.#draw(width, height), paletteOf(theme()), PNG_SCALE);
    canvas.toBlob((blob) => {
      if (blob !== null) download(blob, `${this.#name}.png`);
    });
  }
}
