// A drawing of lines, texts and dots, which can be written as SVG and painted on a canvas.

import { ink, type Tone } from '../../../tools/colors.ts';
import { kindColor } from '../../../tools/entries.ts';
import { escapeHtml } from '../escape-html.ts';
import type { Point } from './curves.ts';

/** A color by what it is for: see `Palette`. */
export type Ink = 'text' | 'muted' | 'grid' | { readonly kind: string };

export type Theme = keyof Tone;

/** The colors of a theme. */
export interface Palette {
  readonly ground: string;
  of(ink: Ink): string;
}

export function paletteOf(theme: Theme): Palette {
  return {
    ground: ink.ground[theme],
    of: (name) => (typeof name === 'string' ? ink[name] : kindColor(name.kind))[theme],
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

export const FONT_SIZE = 12;
const FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const DASH = [5, 4] as const;
const DOT_RADIUS = 5;

const number = (value: number): string => String(Number(value.toFixed(1)));

function markup(mark: Mark, palette: Palette): string {
  const color = palette.of(mark.ink);
  switch (mark.type) {
    case 'line': {
      const points = mark.points.map(({ x, y }) => `${number(x)},${number(y)}`).join(' ');
      const dash = mark.isDashed ? ` stroke-dasharray="${DASH.join(' ')}"` : '';
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

/** What of a canvas's context is used. */
export type Brush = Pick<
  CanvasRenderingContext2D,
  | 'arc'
  | 'beginPath'
  | 'fill'
  | 'fillRect'
  | 'fillStyle'
  | 'fillText'
  | 'font'
  | 'lineJoin'
  | 'lineTo'
  | 'lineWidth'
  | 'moveTo'
  | 'scale'
  | 'setLineDash'
  | 'stroke'
  | 'strokeStyle'
  | 'textAlign'
>;

const aligned = { start: 'left', middle: 'center', end: 'right' } as const;

function paintMark(brush: Brush, mark: Mark, palette: Palette): void {
  const color = palette.of(mark.ink);
  switch (mark.type) {
    case 'line':
      brush.beginPath();
      brush.setLineDash(mark.isDashed ? [...DASH] : []);
      brush.strokeStyle = color;
      brush.lineWidth = mark.width;
      for (const [i, { x, y }] of mark.points.entries()) i === 0 ? brush.moveTo(x, y) : brush.lineTo(x, y);
      brush.stroke();
      break;
    case 'dot':
      brush.beginPath();
      brush.setLineDash([]);
      brush.arc(mark.at.x, mark.at.y, DOT_RADIUS, 0, 2 * Math.PI);
      brush.fillStyle = color;
      brush.fill();
      break;
    case 'text':
      brush.fillStyle = color;
      brush.font = `${mark.isBold ? '600 ' : ''}${FONT_SIZE}px ${FAMILY}`;
      brush.textAlign = aligned[mark.anchor];
      brush.fillText(mark.text, mark.at.x, mark.at.y);
      break;
  }
}

/** Paints the drawing, `scale` times as large. */
export function paint(brush: Brush, { width, height, marks }: Drawing, palette: Palette, scale: number): void {
  brush.scale(scale, scale);
  brush.fillStyle = palette.ground;
  brush.fillRect(0, 0, width, height);
  brush.lineJoin = 'round';
  for (const mark of marks) paintMark(brush, mark, palette);
}
