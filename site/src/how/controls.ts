// Controls that steps share.

import { make } from '../shell/dom.ts';
import { MOST_CHARACTERS } from './small/log.ts';

export function button(text: string, act: () => void, attributes: Readonly<Record<string, string>> = {}) {
  const made = make('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', act);
  return made;
}

export function buttons(...contents: readonly HTMLElement[]): HTMLElement {
  return make('div', { class: 'buttons' }, ...contents);
}

/** A form with a field for a key, and buttons, the first of which submits it. */
export function keyForm(step: string, key: string, ...actions: readonly HTMLElement[]) {
  const input = make('input', {
    id: `${step}-key`,
    maxlength: String(MOST_CHARACTERS),
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
  input.value = key;
  const field = make('div', { class: 'field' }, make('label', { for: input.id }, 'A key'), input);
  const form = make('form', { class: 'key-form' }, field, buttons(...actions));
  form.addEventListener('submit', (event) => event.preventDefault());
  return { form, input };
}

/**
 * A slider with its name and its value as text.
 *
 * @param values the values from left to right, in ascending order
 */
export function makeSlider(
  id: string,
  name: string,
  values: readonly number[],
  textOf: (value: number) => string,
  onChange: () => void,
) {
  const last = String(values.length - 1);
  const input = make('input', { type: 'range', id, min: '0', max: last, step: '1', autocomplete: 'off' });
  const output = make('output', { class: 'number', for: id });
  const slider = {
    root: make('div', { class: 'slider' }, make('label', { for: id }, name), output, input),
    get value(): number {
      return values[Number(input.value)] as number;
    },
    /** Takes the nearest value. */
    set value(wanted: number) {
      const distances = values.map((value) => Math.abs(value - wanted));
      input.value = String(distances.indexOf(Math.min(...distances)));
      write();
    },
  };
  const write = (): void => {
    output.textContent = textOf(slider.value);
    input.setAttribute('aria-valuetext', output.textContent);
  };
  input.addEventListener('input', () => {
    write();
    onChange();
  });
  return slider;
}

/** Figures with their names. */
export function figuresOf(rows: readonly (readonly [value: string, name: string])[]): HTMLElement {
  const figures = rows.map(([value, name]) => make('div', {}, make('dt', {}, name), make('dd', {}, value)));
  return make('dl', { class: 'figures' }, ...figures);
}

/** Makes an element like another one. What is the same stays, so that a reader keeps the place where they are. */
export function renew(old: Element, now: Element): void {
  for (const { name } of [...old.attributes]) if (!now.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of now.attributes) old.setAttribute(name, value);
  const before = [...old.childNodes];
  const after = [...now.childNodes];
  for (const [i, child] of after.entries()) {
    const its = before[i];
    if (its === undefined) old.append(child);
    else if (its instanceof Element && child instanceof Element && its.tagName === child.tagName) renew(its, child);
    else if (!its.isEqualNode(child)) its.replaceWith(child);
  }
  for (const left of before.slice(after.length)) left.remove();
}
