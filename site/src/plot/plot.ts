// Shows a drawing in the page, in the colors of the theme, and saves it as a file.

import './plot.css';
import { make } from '../shell/dom.ts';
import { download } from '../shell/download.ts';
import { type Drawing, paletteOf, type Theme, toSvg } from './drawing.ts';

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
  #draw: Draw | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    new ResizeObserver(() => this.#show()).observe(root);
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
      matchMedia(query).addEventListener('change', () => this.#show());
    }
  }

  /** Fills an element with buttons that save the drawing as a file of this name. */
  addSavers(place: HTMLElement, name: string): void {
    const saver = (format: string, save: () => unknown): HTMLElement => {
      const button = make('button', { type: 'button' }, `Save as ${format}`);
      button.addEventListener('click', () => this.#draw && save());
      return button;
    };
    place.replaceChildren(
      saver('SVG', () => this.#saveSvg(name)),
      saver('PNG', () => this.#savePng(name)),
    );
  }

  draw(draw: Draw): void {
    this.#draw = draw;
    this.#show();
  }

  /** The drawing in the colors of the page. */
  #svg(width: number, height: number): string {
    return this.#draw === undefined ? '' : toSvg(this.#draw(width, height), paletteOf(theme()));
  }

  #show(): void {
    const { clientWidth, clientHeight } = this.#root;
    if (this.#draw === undefined || clientWidth === 0) return;
    const text = this.#svg(clientWidth, clientHeight);
    const { documentElement } = new DOMParser().parseFromString(text, 'image/svg+xml');
    this.#root.replaceChildren(document.importNode(documentElement, true));
  }

  #saveSvg(name: string): void {
    download(new Blob([this.#svg(...FILE_SIZE)], { type: 'image/svg+xml' }), `${name}.svg`);
  }

  async #savePng(name: string): Promise<void> {
    const [width, height] = FILE_SIZE.map((pixels) => PNG_SCALE * pixels) as [number, number];
    const image = new Image(width, height);
    image.src = `data:image/svg+xml,${encodeURIComponent(this.#svg(...FILE_SIZE))}`;
    await image.decode();
    const canvas = make('canvas', { width: String(width), height: String(height) });
    canvas.getContext('2d')?.drawImage(image, 0, 0, width, height);
    canvas.toBlob((blob) => {
      if (blob !== null) download(blob, `${name}.png`);
    });
  }
}
