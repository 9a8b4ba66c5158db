// How a fuse filter is built, key by key.

import './fuse.css';
import { make } from '../../shell/dom.ts';
import { wholeIn } from '../address.ts';
import { button, buttons, Slider } from '../controls.ts';
import { Lines } from '../drawn.ts';
import { LAST_FIRST, Peeling } from '../models/peeling.ts';
import { hex } from '../small/words.ts';
import type { Stage, Step } from '../step.ts';

/** The picture of one set of keys. */
class PeelingView {
  readonly root = make('div', { class: 'peeling' });
  readonly #peeling: Peeling;
  readonly #chips: readonly HTMLElement[];
  readonly #cells: readonly HTMLElement[];
  readonly #grid: HTMLElement;
  readonly #lines: Lines;

  constructor(peeling: Peeling) {
    this.#peeling = peeling;
    this.#chips = peeling.homes.map(({ name }) => make('li', {}, name));
    this.#cells = Array.from({ length: peeling.cellCount }, (_, i) => make('i', { 'data-cell': String(i) }));
    const segments = Array.from({ length: peeling.cellCount / peeling.segmentCells }, (_, i) => {
      const cells = this.#cells.slice(i * peeling.segmentCells, (i + 1) * peeling.segmentCells);
      return make('div', { class: 'segment' }, ...cells);
    });
    this.#grid = make('div', { class: 'segments', role: 'img' }, ...segments);
    this.root.append(make('ol', { class: 'peel-keys', 'aria-label': 'Keys' }, ...this.#chips), this.#grid);
    this.#lines = new Lines(this.root);
  }

  /** Shows the filter after a step of building. */
  show(step: number): void {
    const { homes } = this.#peeling;
    const frame = this.#peeling.frameAt(step);
    const taken = this.#peeling.takenAt(step);
    const counts = this.#peeling.countsAt(step);
    const values = this.#peeling.valuesAt(step);
    const state = `${counts.length} cells, ${taken.length} of ${homes.length} keys taken out, ${values.size} written.`;
    this.#grid.setAttribute('aria-label', state);
    const isPeeling = frame?.phase !== 'write';
    for (const [key, chip] of this.#chips.entries()) {
      chip.classList.toggle('taken', taken.includes(key) && key !== frame?.key);
      chip.classList.toggle('current', key === frame?.key);
    }
    for (const [cell, item] of this.#cells.entries()) {
      const value = values.get(cell);
      const count = counts[cell] as number;
      item.classList.toggle('on', value !== undefined);
      item.classList.toggle('alone', isPeeling && count === 1);
      item.classList.toggle('marked', cell === frame?.cell);
      item.textContent = isPeeling ? String(count) : value === undefined ? '' : hex(value);
    }
    const current = frame === undefined ? [] : [frame.key];
    const drawn = isPeeling ? homes.flatMap((_, key) => (taken.includes(key) ? [] : [key])) : [];
    this.#lines.show(
      [...drawn, ...current].flatMap((key) =>
        (homes[key]?.cells ?? []).map((cell) => ({
          from: this.#chips[key] as HTMLElement,
          to: this.#cells[cell] as HTMLElement,
          look: key === frame?.key ? 'strong' : 'faint',
        })),
      ),
    );
  }

  /** Marks the cells of any key in the finished filter. */
  mark(cells: readonly number[]): void {
    for (const [cell, item] of this.#cells.entries()) item.classList.toggle('marked', cells.includes(cell));
    for (const chip of this.#chips) chip.classList.remove('current');
    this.#lines.show([]);
  }
}

async function show({ root, said, engine, state, keep, say }: Stage): Promise<void> {
  let first = wholeIn(state, 'keys', 0, LAST_FIRST, 0);
  let peeling = await Peeling.create(engine, first);
  let view = new PeelingView(peeling);
  const values = Array.from({ length: peeling.steps + 1 }, (_, i) => i);
  const slider = new Slider('fuse-step', 'Step', values, (value) => `${value} of ${values.length - 1}`);
  const input = make('input', { id: 'fuse-key', maxlength: '100', autocomplete: 'off', spellcheck: 'false' });
  input.value = 'ada';
  const draw = (step: number): void => {
    slider.value = step;
    view.show(step);
    say(peeling.describe(step));
  };
  const go = (step: number): void => {
    draw(Math.max(0, Math.min(peeling.steps, step)));
    keep(new URLSearchParams({ keys: String(first), step: String(slider.value) }));
  };
  const others = async (): Promise<void> => {
    first = (first + 1) % (LAST_FIRST + 1);
    peeling = await Peeling.create(engine, first);
    const before = view.root;
    view = new PeelingView(peeling);
    before.replaceWith(view.root);
    go(0);
  };
  const form = make(
    'form',
    { class: 'key-form' },
    make('div', { class: 'field' }, make('label', { for: 'fuse-key' }, 'A key'), input),
    make('button', { type: 'submit', 'data-do': 'look-up' }, 'Look up'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    go(peeling.steps);
    const { home, text } = peeling.lookUp(input.value);
    view.mark(home.cells);
    say(text);
  });
  slider.onChange(() => go(slider.value));
  root.append(
    buttons(
      button('Next', () => go(slider.value + 1), { class: 'primary', 'data-do': 'next' }),
      button('Back', () => go(slider.value - 1), { 'data-do': 'back' }),
      button('To the end', () => go(peeling.steps), { 'data-do': 'end' }),
      button('Other keys', () => void others(), { 'data-do': 'others' }),
    ),
    slider.root,
    view.root,
    said,
    form,
  );
  draw(wholeIn(state, 'step', 0, peeling.steps, 0));
}

export const step: Step = {
  text: [
    'This kind is made of all its keys at once. Each key has three cells, one in each of three adjacent rows. The keys are peeled off: one that is alone in a cell is taken out, which leaves others alone. In the opposite order they are written, so that the xor of their three cells is their fingerprint.',
    'It is the smallest kind: for a million keys, 9 bits for each key give 0.4 % of errors.',
  ],
  show,
};
