// Draws docs/bits-per-key.svg: bits per key against the error rate, as the calculator does. Then draws the chart of the saved
// benchmark results, and writes the tables of the documents: `npm run plot`.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { publish } from '../../bench/peers/publish.ts';
import { ink, type Tone, themedStyle } from '../../tools/colors.ts';
import { bitsDrawing } from '../src/calculator/charts.ts';
import { toSvg } from '../src/plot/drawing.ts';

/** So many keys that rounding to whole bits or blocks does not show. */
const KEYS = 10_000_000;
const [WIDTH, HEIGHT] = [720, 440];

/** The picture as SVG. The style of the file has each color in both themes, by a name. */
export function bitsPicture(): string {
  const tones = new Map<string, Tone>();
  const named = (tone: Tone): string => {
    const name = `--c${tone.light.slice(1)}`;
    tones.set(name, tone);
    return `var(${name})`;
  };
  const svg = toSvg(bitsDrawing(KEYS, undefined, WIDTH, HEIGHT), {
    ground: named(ink.ground),
    of: (color) => named(typeof color === 'string' ? ink[color] : color),
  });
  const style = themedStyle(
    (color) => `:root { ${Array.from(tones, ([name, tone]) => `${name}: ${color(tone)}`).join('; ')} }`,
  );
  return svg.replace('role="img"', 'role="img" aria-labelledby="t"').replace('<title>', `${style}\n<title id="t">`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../../docs/bits-per-key.svg', import.meta.url), bitsPicture());
  publish();
}
