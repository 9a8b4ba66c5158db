// Cache lines, counted in a classic and in a blocked filter.

import './blocked.css';
import { integer, short } from '../../format.ts';
import { make } from '../../shell/dom.ts';
import { wholeIn } from '../address.ts';
import { button, buttons, figuresOf, renew } from '../controls.ts';
import { stripOf } from '../drawn.ts';
import {
  type Both,
  CacheLines,
  describeLines,
  FIRST_KEYS,
  LINE_BITS,
  MOST_KEYS,
  type Side,
} from '../models/cache-lines.ts';
import { partsOf } from '../small/saved-cells.ts';
import { expectedText } from '../small/wording.ts';
import type { Stage, Step } from '../step.ts';

const COLUMNS = 128;
const sides = ['classic', 'blocked'] as const;
const titles: Both<string> = { classic: 'Classic: bits anywhere', blocked: 'Blocked: bits in one block' };

/** One of the two filters, with marks at the cache lines that the last key took. */
function memoryOf(lines: CacheLines, side: Side, last: readonly number[]): HTMLElement {
  const items = partsOf(lines.bits[side], LINE_BITS).map((bits, i) => {
    const look = last.includes(i) ? 'framed' : '';
    return make('li', { class: look }, make('span', { class: 'number' }, String(i)), stripOf(bits, COLUMNS));
  });
  const read = lines.read[side];
  return make(
    'div',
    { class: `side ${side}` },
    make('h3', {}, titles[side]),
    make('ol', { class: 'bit-rows memory-lines', start: '0' }, ...items),
    figuresOf([
      [integer(read), 'cache lines read'],
      [lines.keys === 0 ? '–' : short(read / lines.keys), 'for each key'],
      [integer(lines.wrong[side]), 'of 10,000 names never added look present'],
      [expectedText(lines.expected[side]), 'by the formula'],
    ]),
  );
}

function show({ root, said, engine, state, keep, say }: Stage): void {
  let lines = new CacheLines(engine);
  const memories = make('div');
  const draw = (last: Both<number[]> = { classic: [], blocked: [] }): void =>
    renew(memories, make('div', { class: 'sides' }, ...sides.map((side) => memoryOf(lines, side, last[side]))));
  const add = (count: number): void => {
    const before = lines.read;
    const added = lines.add(count);
    const read: Both<number> = {
      classic: lines.read.classic - before.classic,
      blocked: lines.read.blocked - before.blocked,
    };
    draw(lines.linesOfKey(added.at(-1) ?? ''));
    say(describeLines(added, read, lines.wrong));
    keep(new URLSearchParams({ keys: String(lines.keys) }));
  };
  const clear = (): void => {
    lines = new CacheLines(engine);
    draw();
    say('Both filters are empty.');
    keep(new URLSearchParams({ keys: '0' }));
  };
  root.append(
    buttons(
      button('Add a key', () => add(1), { class: 'primary' }),
      button('Add 50 keys', () => add(50)),
      button('Start again', clear),
    ),
    said,
    memories,
  );
  lines.add(wholeIn(state, 'keys', 0, MOST_KEYS, FIRST_KEYS));
  draw();
  say(`${integer(lines.keys)} keys are in both filters. Add one, and see which cache lines it takes.`);
}

export const step: Step = {
  text: [
    'A processor fetches memory in cache lines of 64 bytes, and waits for each. The bits of a key lie in up to 8 lines of a classic filter. A blocked one has all of them in one block of 32 bytes, so in one line: it is the fastest kind.',
    'The price: some blocks get more keys than others, and err more often. Add 50 keys, and compare.',
  ],
  show,
};
