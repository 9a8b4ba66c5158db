// The bar charts. They are lists with the figures as text, so that screen readers can read them.

import { extentOf, type Spread } from '../../../bench/shared/figures.ts';
import { make } from '../shell/dom.ts';
import { fastestFirst, type Row } from './rows.ts';
import { isOurs, type Operation, temperatures } from './run.ts';
import { nanoseconds } from './wording.ts';

/** Room to the right of the longest bar, for its spread. */
const ROOM = 1.25;

function share(value: number, scale: number): string {
  return `${Math.min(100, (100 * value) / scale)}%`;
}

function fillOf(length: string): HTMLElement {
  const fill = make('span', { class: 'fill' });
  fill.style.inlineSize = length;
  return fill;
}

function measureOf(label: string, figure: Spread, scale: number): HTMLElement {
  const { median, lowest, highest } = figure;
  const spread = make('span', { class: 'spread' });
  spread.style.insetInlineStart = share(lowest, scale);
  spread.style.inlineSize = share(Math.min(highest, scale) - Math.min(lowest, scale), scale);
  return make(
    'div',
    { class: `measure ${label}` },
    make('span', { class: 'temperature' }, label),
    make('span', { class: 'bar', 'aria-hidden': 'true' }, fillOf(share(median, scale)), spread),
    make('span', { class: 'number' }, `${nanoseconds(median)} ns `, make('small', {}, extentOf(figure, nanoseconds))),
  );
}

/** A thin bar below: what the stored result has. */
function besideOf(label: string, { median }: Spread, scale: number): HTMLElement {
  return make(
    'div',
    { class: `beside ${label}` },
    make('span', { class: 'temperature' }),
    make('span', { class: 'bar', 'aria-hidden': 'true' }, fillOf(share(median, scale))),
    make('small', { class: 'number' }, `stored: ${nanoseconds(median)} ns`),
  );
}

/** The bars of an operation, the fastest contender first. `beside` has the bars below them, if there is another run. */
export function barsOf(rows: readonly Row[], operation: Operation, beside: readonly Row[] = []): HTMLElement[] {
  const medians = [...rows, ...beside].flatMap(({ figures }) =>
    temperatures.map((temperature) => figures[temperature][operation].median),
  );
  const scale = ROOM * Math.max(...medians);
  return fastestFirst(rows, operation).map(({ name, figures }) => {
    const other = beside.find((row) => row.name === name);
    const measures = temperatures.flatMap((temperature) => [
      measureOf(temperature, figures[temperature][operation], scale),
      ...(other === undefined ? [] : [besideOf(temperature, other.figures[temperature][operation], scale)]),
    ]);
    return make('li', isOurs(name) ? { class: 'ours' } : {}, make('strong', {}, name), ...measures);
  });
}
