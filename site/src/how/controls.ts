// Controls that steps share.

import { make } from '../shell/dom.ts';

export function button(text: string, act: () => void, attributes: Readonly<Record<string, string>> = {}) {
  const made = make('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', act);
  return made;
}

export function buttons(...contents: readonly HTMLElement[]): HTMLElement {
  return make('div', { class: 'buttons' }, ...contents);
}

/** A slider with its name and its value as text. */
export class Slider {
  readonly root: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #output = make('output', { class: 'number' });
  readonly #values: readonly number[];
  readonly #textOf: (value: number) => string;

  /** @param values the values from left to right, in ascending order */
  constructor(id: string, name: string, values: readonly number[], textOf: (value: number) => string) {
    this.#values = values;
    this.#textOf = textOf;
    const last = String(values.length - 1);
    this.#input = make('input', { type: 'range', id, min: '0', max: last, step: '1', autocomplete: 'off' });
    this.#output.setAttribute('for', id);
    const label = make('label', { for: id }, name);
    this.root = make('div', { class: 'slider' }, label, this.#output, this.#input);
    this.#write();
  }

  get value(): number {
    return this.#values[Number(this.#input.value)] as number;
  }

  /** Takes the nearest value. */
  set value(wanted: number) {
    const distances = this.#values.map((value) => Math.abs(value - wanted));
    this.#input.value = String(distances.indexOf(Math.min(...distances)));
    this.#write();
  }

  onChange(act: () => void): void {
    this.#input.addEventListener('input', () => {
      this.#write();
      act();
    });
  }

  #write(): void {
    const text = this.#textOf(this.value);
    this.#output.textContent = text;
    this.#input.setAttribute('aria-valuetext', text);
  }
}

/** Figures with their names below. */
export class Figures {
  readonly root = make('dl', { class: 'figures' });
  readonly #values = new Map<string, HTMLElement>();
  readonly #names = new Map<string, HTMLElement>();

  /** @param names what each figure is, by the id by which it is set */
  constructor(names: Readonly<Record<string, string>>) {
    for (const [id, name] of Object.entries(names)) {
      const value = make('dd', { 'data-figure': id }, '–');
      const term = make('dt', {}, name);
      this.#values.set(id, value);
      this.#names.set(id, term);
      this.root.append(make('div', {}, term, value));
    }
  }

  set(id: string, text: string): void {
    const value = this.#values.get(id);
    if (value) value.textContent = text;
  }

  rename(id: string, name: string): void {
    const term = this.#names.get(id);
    if (term) term.textContent = name;
  }
}
