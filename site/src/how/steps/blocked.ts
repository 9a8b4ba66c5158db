// Cache lines, counted in a classic and in a blocked filter.

import './blocked.css';
import { integer, short } from '../../format.ts';
import { make } from '../../shell/dom.ts';
import { wholeIn } from '../address.ts';
import { button, buttons, Figures } from '../controls.ts';
import { Strip } from '../drawn.ts';
import {
  type Both,
  CacheLines,
  cutIntoLines,
  describeLines,
  FIRST_KEYS,
  LINE_BITS,
  MOST_KEYS,
  type Side,
} from '../models/cache-lines.ts';
import { expectedText } from '../small/wording.ts';
import type { Stage, Step } from '../step.ts';

const COLUMNS = 128;
const titles: Both<string> = { classic: 'Classic: bits anywhere', blocked: 'Blocked: bits in one block' };

/** One of the two filters. */
class Memory {
  readonly root: HTMLElement;
  readonly #list = make('ol', { class: 'memory-lines', start: '0' });
  readonly #figures = new Figures({
    read: 'cache lines read',
    perKey: 'for each key',
    wrong: 'of 10,000 names never added look present',
    formula: 'by the formula',
  });
  readonly #lines: { readonly item: HTMLElement; readonly strip: Strip }[] = [];
  readonly #side: Side;

  constructor(side: Side) {
    this.#side = side;
    this.root = make('div', { class: `side ${side}` }, make('h3', {}, titles[side]), this.#list, this.#figures.root);
  }

  show(lines: CacheLines, last: readonly number[]): void {
    for (const [i, bits] of cutIntoLines(lines.bits[this.#side]).entries()) {
      this.#lines[i] ??= this.#addLine(i);
      const { item, strip } = this.#lines[i];
      item.classList.toggle('read', last.includes(i));
      strip.show(bits);
    }
    const read = lines.read[this.#side];
    this.#figures.set('read', integer(read));
    this.#figures.set('perKey', lines.keys === 0 ? '–' : short(read / lines.keys));
    this.#figures.set('wrong', integer(lines.wrong[this.#side]));
    this.#figures.set('formula', expectedText(lines.expected[this.#side]));
  }

  #addLine(index: number) {
    const strip = new Strip(COLUMNS, LINE_BITS / COLUMNS);
    const item = make('li', {}, make('span', { class: 'number' }, String(index)), strip.root);
    this.#list.append(item);
    return { item, strip };
  }
}

function show({ root, said, engine, state, keep, say }: Stage): void {
  const memories = [new Memory('classic'), new Memory('blocked')] as const;
  let lines = new CacheLines(engine);
  const nowhere: Both<number[]> = { classic: [], blocked: [] };
  const draw = (last: Both<number[]>): void => {
    memories[0].show(lines, last.classic);
    memories[1].show(lines, last.blocked);
  };
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
    draw(nowhere);
    say('Both filters are empty.');
    keep(new URLSearchParams({ keys: '0' }));
  };
  root.append(
    buttons(
      button('Add a key', () => add(1), { class: 'primary', 'data-do': 'add' }),
      button('Add 50 keys', () => add(50), { 'data-do': 'add-fifty' }),
      button('Start again', clear, { 'data-do': 'clear' }),
    ),
    said,
    make('div', { class: 'sides' }, ...memories.map((memory) => memory.root)),
  );
  lines.add(wholeIn(state, 'keys', 0, MOST_KEYS, FIRST_KEYS));
  draw(nowhere);
  say(`${integer(lines.keys)} keys are in both filters. Add one, and see which cache lines it takes.`);
}

export const step: Step = {
  text: [
    'A processor fetches memory in cache lines of 64 bytes, and waits for each. The bits of a key lie in up to 8 lines of a classic filter. A blocked one has all of them in one block of 32 bytes, so in one line: it is the fastest kind.',
    'The price: some blocks get more keys than others, and err more often. Add 50 keys, and compare.',
  ],
  show,
};
