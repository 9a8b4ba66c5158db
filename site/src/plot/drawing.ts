// A drawing of lines, texts and dots, which is written as SVG.

import { ink, type Tone } from '../../../tools/colors.ts';
import { escapeHtml } from '../escape-html.ts';

/** A point of a curve in its own units, or of a drawing in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A color by what it is for, or that of a kind. */
export type Ink = 'text' | 'muted' | 'grid' | Tone;

export type Theme = keyof Tone;

/** The colors of a theme. */
export interface Palette {
  readonly ground: string;
  of(ink: Ink): string;
}

export function paletteOf(theme: Theme): Palette {
  return {
    ground: ink.ground[theme],
    of: (name) => (typeof name === 'string' ? ink[name] : name)[theme],
  };
}

export type Mark =
  | {
      readonly type: 'line';
      readonly points: readonly Point[];
      readonly ink: Ink;
      readonly width: number;
      readonly isDashed?: boolean;
    }
  | { readonly type: 'dot'; readonly at: Point; readonly ink: Ink }
  | {
      readonly type: 'text';
      readonly at: Point;
      readonly text: string;
      readonly ink: Ink;
      readonly anchor: 'start' | 'middle' | 'end';
      readonly isBold?: boolean;
    };

export interface Drawing {
  readonly width: number;
  readonly height: number;
  /** What it shows, in words. */
  readonly title: string;
  readonly marks: readonly Mark[];
}

const FONT_SIZE = 12;
const FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const DOT_RADIUS = 5;

const number = (value: number): string => String(Number(value.toFixed(1)));

function markup(mark: Mark, palette: Palette): string {
  const color = palette.of(mark.ink);
  switch (mark.type) {
    case 'line': {
      const points = mark.points.map(({ x, y }) => `${number(x)},${number(y)}`).join(' ');
      const dash = mark.isDashed ? ` stroke-dasharray="5 4"` : '';
      return `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="${mark.width}" stroke-linejoin="round"${dash}/>`;
    }
    case 'dot':
      return `<circle cx="${number(mark.at.x)}" cy="${number(mark.at.y)}" r="${DOT_RADIUS}" fill="${color}" stroke="${palette.ground}" stroke-width="1.5"/>`;
    case 'text': {
      const weight = mark.isBold ? ' font-weight="600"' : '';
      return `<text x="${number(mark.at.x)}" y="${number(mark.at.y)}" fill="${color}" text-anchor="${mark.anchor}"${weight}>${escapeHtml(mark.text)}</text>`;
    }
  }
}

/** The drawing as an SVG file. Its text is horizontal, and its colors are attributes, so that no policy refuses it. */
export function toSvg({ width, height, title, marks }: Drawing, palette: Palette): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="${escapeHtml(FAMILY)}" font-size="${FONT_SIZE}">`,
    `<title>${escapeHtml(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${palette.ground}"/>`,
    ...marks.map((mark) => markup(mark, palette)),
    '</svg>\n',
  ].join('\n');
}
