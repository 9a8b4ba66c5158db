// How a fuse filter is built, key by key.

import './fuse.css';
import { make } from '../../shell/dom.ts';
import { wholeIn } from '../address.ts';
import { button, buttons, keyForm, makeSlider, renew } from '../controls.ts';
import { Lines } from '../drawn.ts';
import { LAST_FIRST, Peeling } from '../models/peeling.ts';
import { partsOf } from '../small/saved-cells.ts';
import { hex } from '../small/words.ts';
import type { Stage, Step } from '../step.ts';

/** Draws the filter after a step of building; or, when it is finished, the cells that a lookup reads. */
function draw(picture: HTMLElement, lines: Lines, peeling: Peeling, step: number, read?: readonly number[]): void {
  const { homes, segmentCells } = peeling;
  const frame = peeling.frameAt(step);
  const taken = peeling.takenAt(step);
  const values = peeling.valuesAt(step);
  const isPeeling = frame?.phase !== 'write';
  const current = read === undefined ? frame?.key : undefined;
  const marked = read ?? [frame?.cell];
  const items = homes.map(({ name }, key) =>
    make('li', { class: key === current ? 'current' : taken.includes(key) ? 'taken' : '' }, name),
  );
  const marks = peeling.countsAt(step).map((count, cell) => {
    const value = values.get(cell);
    const [look, text] = isPeeling
      ? [count === 1 ? 'alone' : '', String(count)]
      : [value === undefined ? '' : 'on', value === undefined ? '' : hex(value)];
    return make('i', { 'data-cell': String(cell), class: marked.includes(cell) ? `marked ${look}` : look }, text);
  });
  const segments = partsOf(marks, segmentCells).map((own) => make('div', { class: 'segment' }, ...own));
  const state = `${marks.length} cells, ${taken.length} of ${homes.length} keys taken out, ${values.size} written.`;
  const [keys, grid] = [...picture.children] as [Element, Element];
  renew(keys, make('ol', { class: 'peel-keys', 'aria-label': 'Keys' }, ...items));
  renew(grid, make('div', { class: 'segments', role: 'img', 'aria-label': state }, ...segments));
  const [chips, cells] = [keys.querySelectorAll('li'), grid.querySelectorAll('i')];
  const left = isPeeling ? [...homes.keys()].filter((key) => !taken.includes(key)) : [];
  lines.show(
    // The current one is drawn last, above the others.
    [...left, ...(current === undefined ? [] : [current])].flatMap((key) =>
      (homes[key]?.cells ?? []).map((cell) => ({
        from: chips[key] as HTMLElement,
        to: cells[cell] as HTMLElement,
        look: key === current ? 'strong' : 'faint',
      })),
    ),
  );
}

async function show({ root, said, engine, state, keep, say }: Stage): Promise<void> {
  let first = wholeIn(state, 'keys', 0, LAST_FIRST, 0);
  let peeling = await Peeling.create(engine, first);
  const picture = make('div', { class: 'peeling' }, make('ol'), make('div'));
  const lines = new Lines(picture);
  const steps = Array.from({ length: peeling.steps + 1 }, (_, i) => i);
  const textOf = (step: number): string => `${step} of ${peeling.steps}`;
  const slider = makeSlider('fuse-step', 'Step', steps, textOf, () => go(slider.value));
  const showStep = (step: number): void => {
    slider.value = step;
    draw(picture, lines, peeling, slider.value);
    say(peeling.describe(slider.value));
  };
  const go = (step: number): void => {
    showStep(step);
    keep(new URLSearchParams({ keys: String(first), step: String(slider.value) }));
  };
  const others = async (): Promise<void> => {
    first = (first + 1) % (LAST_FIRST + 1);
    peeling = await Peeling.create(engine, first);
    go(0);
  };
  const lookUp = (): void => {
    go(peeling.steps);
    const { home, text } = peeling.lookUp(input.value);
    draw(picture, lines, peeling, peeling.steps, home.cells);
    say(text);
  };
  const { form, input } = keyForm('fuse', 'ada', button('Look up', lookUp, { type: 'submit' }));
  root.append(
    buttons(
      button('Next', () => go(slider.value + 1), { class: 'primary' }),
      button('Back', () => go(slider.value - 1)),
      button('To the end', () => go(peeling.steps)),
      button('Other keys', () => void others()),
    ),
    slider.root,
    picture,
    said,
    form,
  );
  showStep(wholeIn(state, 'step', 0, peeling.steps, 0));
}

export const step: Step = {
  text: [
    'This kind is made of all its keys at once. Each key has three cells, one in each of three adjacent rows. The keys are peeled off: one that is alone in a cell is taken out, which leaves others alone. In the opposite order they are written, so that the xor of their three cells is their fingerprint.',
    'It is the smallest kind: for a million keys, 9 bits for each key give 0.4 % of errors.',
  ],
  show,
};
