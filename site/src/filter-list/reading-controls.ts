// How a text is read: guessed, and chosen with the first records in view.

import { element, make } from '../shell/dom.ts';
import { type Column, formOf, hasHeader, tableOf } from './preview.ts';
import type { Form, Reading } from './reading.ts';
import type { TextFile } from './text-file.ts';

export type ReadingControls = ReturnType<typeof readingControls>;

/** @param onEncoding called when the text is to be opened in another encoding */
export function readingControls(panel: HTMLElement, onEncoding: () => void) {
  panel.append(element('reading', HTMLTemplateElement).content.cloneNode(true));
  const root = panel.querySelector('.reading') as HTMLElement;
  const find = <E extends Element>(selector: string): E => root.querySelector(selector) as E;
  const select = find<HTMLSelectElement>('select');
  const header = find<HTMLInputElement>('[value=header]');
  const latin = find<HTMLInputElement>('[value=latin]');
  const table = find<HTMLTableElement>('table');
  const said = find('p');
  let start: Uint8Array = new Uint8Array(0);
  let isGuessed = true;
  let columns: readonly Column[] = [];
  /** The places of the columns that are compared. */
  const ticked = new Set<number>();

  const formNow = (): Form => select.value as Form;
  const chosen = (): Column[] => columns.filter((_, i) => ticked.has(i));
  /** The names of the columns that are compared. */
  const compared = (): string =>
    chosen()
      .map(({ name }) => name)
      .join(' and ');
  const encodingNow = (): Reading['encoding'] => (latin.checked ? 'windows-1252' : 'utf-8');

  function show(): void {
    const shown = tableOf(start, formNow(), header.checked);
    columns = shown.columns;
    const classOf = (i: number): string => (ticked.has(i) ? 'text chosen' : 'text');
    const head = columns.map(({ name, key }, i) => {
      const box = make('input', { type: 'checkbox', value: String(i) });
      box.checked = ticked.has(i);
      const label = key === undefined ? name : make('label', {}, box, make('span', {}, name));
      return make('th', { scope: 'col', class: classOf(i) }, label);
    });
    const body = shown.rows.map((row) =>
      make('tr', {}, ...row.map((cell, i) => make('td', { class: classOf(i) }, cell.replaceAll(/\r?\n/g, '↵')))),
    );
    table.replaceChildren(make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...body));
    const whole =
      formNow() === 'lines'
        ? 'Whole lines are compared.'
        : 'Whole records are compared. Tick a column to compare only that.';
    said.textContent = chosen().length === 0 ? whole : `Compared: ${compared()}.`;
  }

  function read(form: Form): void {
    select.value = form;
    ticked.clear();
    header.checked = hasHeader(start, form);
    (header.parentElement as HTMLElement).hidden = form === 'json';
    show();
  }

  latin.addEventListener('change', onEncoding);
  header.addEventListener('change', show);
  select.addEventListener('change', () => {
    isGuessed = false;
    read(formNow());
  });
  table.addEventListener('change', ({ target }) => {
    const { value, checked } = target as HTMLInputElement;
    if (checked) ticked.add(Number(value));
    else ticked.delete(Number(value));
    show();
    table.querySelector<HTMLInputElement>(`[value="${value}"]`)?.focus();
  });

  return {
    compared,
    encodingNow,
    readingNow(): Reading {
      const keys = chosen().map(({ key }) => key);
      return {
        form: formNow(),
        header: header.checked,
        fields: keys.filter((key) => typeof key === 'number'),
        members: keys.filter((key) => typeof key === 'object'),
        encoding: encodingNow(),
      };
    },
    /** Forgets the text, and what was chosen for it. */
    reset(): void {
      root.hidden = true;
      latin.checked = false;
      isGuessed = true;
    },
    /** Shows a text as it may be meant, or as was chosen: before a field that has another one, or after its own. */
    look(text: TextFile, field: Element, where: 'before' | 'after'): void {
      const isNew = root.hidden;
      if (isNew) field[where](root);
      start = text.start;
      (latin.parentElement as HTMLElement).hidden = text.isUtf8 && !latin.checked;
      const form = isGuessed ? formOf(start) : formNow();
      if (isNew || form !== formNow()) read(form);
      else show();
      root.hidden = false;
    },
  };
}
