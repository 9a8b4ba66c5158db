// The bar charts. They are lists with the figures as text, so that screen readers can read them.

import { spreadOf } from '../../../bench/shared/figures.ts';
import { make } from '../shell/dom.ts';
import { contenderNames, isOurs, type Operation, type Result, temperatures } from './run.ts';
import { nanoseconds } from './wording.ts';

/** Room to the right of the longest bar, for its spread. */
const ROOM = 1.25;

function share(value: number, scale: number): string {
  return `${Math.min(100, (100 * value) / scale)}%`;
}

function measureOf(label: string, times: readonly number[], scale: number): HTMLElement {
  const { median, lowest, highest } = spreadOf(times);
  const fill = make('span', { class: 'fill' });
  fill.style.inlineSize = share(median, scale);
  const spread = make('span', { class: 'spread' });
  spread.style.insetInlineStart = share(lowest, scale);
  spread.style.inlineSize = share(Math.min(highest, scale) - Math.min(lowest, scale), scale);
  const range = make('small', {}, `${nanoseconds(lowest)}–${nanoseconds(highest)}`);
  return make(
    'div',
    { class: `measure ${label}` },
    make('span', { class: 'temperature' }, label),
    make('span', { class: 'bar', 'aria-hidden': 'true' }, fill, spread),
    make('span', { class: 'number' }, `${nanoseconds(median)} ns `, range),
  );
}

/** The bars of an operation, in the order of the contenders. */
export function barsOf({ times }: Result, operation: Operation): HTMLElement[] {
  const lists = temperatures.map((temperature) => times[temperature][operation]);
  const medians = lists.flatMap((list) => list.map((each) => spreadOf(each).median));
  const scale = ROOM * Math.max(...medians);
  return contenderNames.map((name, i) => {
    const measures = temperatures.map((temperature, t) => measureOf(temperature, lists[t]?.[i] ?? [], scale));
    return make('li', isOurs(name) ? { class: 'ours' } : {}, make('strong', {}, name), ...measures);
  });
}
