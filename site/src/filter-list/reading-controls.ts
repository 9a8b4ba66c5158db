// How a text is read: guessed, and chosen with the first records in view.

import { element, make } from '../shell/dom.ts';
import { type Column, formOf, hasHeader, tableOf } from './preview.ts';
import { asLines, type Form, type Reading } from './reading.ts';
import type { TextFile } from './text-file.ts';

export class ReadingControls {
  readonly #root: HTMLElement;
  readonly #form: HTMLSelectElement;
  readonly #header: HTMLInputElement;
  readonly #latin: HTMLInputElement;
  readonly #table: HTMLTableElement;
  readonly #said: HTMLElement;
  #start: Uint8Array = new Uint8Array(0);
  #isGuessed = true;
  #columns: readonly Column[] = [];
  /** The places of the columns that are compared. */
  #ticked = new Set<number>();

  /** @param onEncoding called when the text is to be opened in another encoding */
  constructor(panel: HTMLElement, onEncoding: () => void) {
    const find = <E extends Element>(selector: string): E => panel.querySelector(`.reading ${selector}`) as E;
    panel.append(element('reading', HTMLTemplateElement).content.cloneNode(true));
    this.#root = panel.querySelector('.reading') as HTMLElement;
    this.#form = find('select');
    this.#header = find('[value=header]');
    this.#latin = find('[value=latin]');
    this.#table = find('table');
    this.#said = find('p');
    this.#latin.addEventListener('change', onEncoding);
    this.#header.addEventListener('change', () => this.#show());
    this.#form.addEventListener('change', () => {
      this.#isGuessed = false;
      this.#read(this.#form.value as Form);
    });
    this.#table.addEventListener('change', ({ target }) => {
      const { value, checked } = target as HTMLInputElement;
      if (checked) this.#ticked.add(Number(value));
      else this.#ticked.delete(Number(value));
      this.#show();
      this.#table.querySelector<HTMLInputElement>(`[value="${value}"]`)?.focus();
    });
  }

  get encoding(): Reading['encoding'] {
    return this.#latin.checked ? 'windows-1252' : 'utf-8';
  }

  get reading(): Reading {
    const keys = this.#chosen.map(({ key }) => key);
    return {
      ...asLines,
      form: this.#form.value as Form,
      header: this.#header.checked,
      fields: keys.filter((key) => typeof key === 'number'),
      members: keys.filter((key) => typeof key === 'object'),
      encoding: this.encoding,
    };
  }

  /** The names of the columns that are compared. */
  get by(): string {
    return this.#chosen.map(({ name }) => name).join(' and ');
  }

  get #chosen(): Column[] {
    return this.#columns.filter((_, i) => this.#ticked.has(i));
  }

  /** Forgets the text, and what was chosen for it. */
  reset(): void {
    this.#root.hidden = true;
    this.#latin.checked = false;
    this.#isGuessed = true;
  }

  /** Shows a text as it may be meant, or as was chosen: before a field that has another one, or after its own. */
  look({ start, isUtf8 }: TextFile, field: Element, where: 'before' | 'after'): void {
    if (this.#root.hidden) field[where](this.#root);
    this.#start = start;
    (this.#latin.parentElement as HTMLElement).hidden = isUtf8 && !this.#latin.checked;
    const form = this.#isGuessed ? formOf(start) : (this.#form.value as Form);
    if (this.#root.hidden || form !== this.#form.value) this.#read(form);
    else this.#show();
    this.#root.hidden = false;
  }

  #read(form: Form): void {
    this.#form.value = form;
    this.#ticked.clear();
    this.#header.checked = hasHeader(this.#start, form);
    (this.#header.parentElement as HTMLElement).hidden = form === 'json';
    this.#show();
  }

  #show(): void {
    const { columns, rows } = tableOf(this.#start, this.#form.value as Form, this.#header.checked);
    this.#columns = columns;
    const classOf = (i: number): string => (this.#ticked.has(i) ? 'text chosen' : 'text');
    const head = columns.map(({ name, key }, i) => {
      const box = make('input', { type: 'checkbox', value: String(i) });
      box.checked = this.#ticked.has(i);
      const label = key === undefined ? name : make('label', {}, box, make('span', {}, name));
      return make('th', { scope: 'col', class: classOf(i) }, label);
    });
    const body = rows.map((row) =>
      make('tr', {}, ...row.map((cell, i) => make('td', { class: classOf(i) }, cell.replaceAll(/\r?\n/g, '↵')))),
    );
    this.#table.replaceChildren(make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...body));
    const whole =
      this.#form.value === 'lines'
        ? 'Whole lines are compared.'
        : 'Whole records are compared. Tick a column to compare only that.';
    this.#said.textContent = this.by === '' ? whole : `Compared: ${this.by}.`;
  }
}
