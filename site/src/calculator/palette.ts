// The colors of a drawing in a theme.

import { ink, kindColor, type Tone } from '../../../tools/colors.ts';
import type { Palette } from './drawing.ts';

export type Theme = keyof Tone;

export function paletteOf(theme: Theme): Palette {
  return {
    ground: ink.ground[theme],
    of: (name) => (typeof name === 'string' ? ink[name] : kindColor(name.kind))[theme],
  };
}
