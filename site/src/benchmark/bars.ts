// The bar charts. They are lists with the figures as text, so that screen readers can read them.

import { spreadOf } from '../../../bench/shared/figures.ts';
import { make } from '../shell/dom.ts';
import { type ContenderName, contenderNames, isOurs, type Operation, type Result, temperatures } from './run.ts';
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

function measureOf(label: string, times: readonly number[], scale: number): HTMLElement {
  const { median, lowest, highest } = spreadOf(times);
  const spread = make('span', { class: 'spread' });
  spread.style.insetInlineStart = share(lowest, scale);
  spread.style.inlineSize = share(Math.min(highest, scale) - Math.min(lowest, scale), scale);
  const range = make('small', {}, `${nanoseconds(lowest)}–${nanoseconds(highest)}`);
  return make(
    'div',
    { class: `measure ${label}` },
    make('span', { class: 'temperature' }, label),
    make('span', { class: 'bar', 'aria-hidden': 'true' }, fillOf(share(median, scale)), spread),
    make('span', { class: 'number' }, `${nanoseconds(median)} ns `, range),
  );
}

/** A thin bar below: what the stored result has. */
function besideOf(label: string, times: readonly number[], scale: number): HTMLElement {
  const { median } = spreadOf(times);
  return make(
    'div',
    { class: `beside ${label}` },
    make('span', { class: 'temperature' }),
    make('span', { class: 'bar', 'aria-hidden': 'true' }, fillOf(share(median, scale))),
    make('small', { class: 'number' }, `stored: ${nanoseconds(median)} ns`),
  );
}

/** The contenders by their time with warm strings, the fastest first. */
export function fastestFirst({ times }: Result, operation: Operation): ContenderName[] {
  const timeOf = (name: ContenderName): number =>
    spreadOf(times.warm[operation][contenderNames.indexOf(name)] ?? []).median;
  return [...contenderNames].sort((one, other) => timeOf(one) - timeOf(other));
}

/** The bars of an operation, the fastest contender first. `beside` has the bars below them, if there is another run. */
export function barsOf(result: Result, operation: Operation, beside?: Result): HTMLElement[] {
  const lists = temperatures.map((temperature) => result.times[temperature][operation]);
  const others = temperatures.map((temperature) => beside?.times[temperature][operation] ?? []);
  const medians = [...lists, ...others].flatMap((list) => list.map((each) => spreadOf(each).median));
  const scale = ROOM * Math.max(...medians);
  return fastestFirst(result, operation).map((name) => {
    const i = contenderNames.indexOf(name);
    const measures = temperatures.flatMap((temperature, t) => {
      const other = others[t]?.[i];
      const measure = measureOf(temperature, lists[t]?.[i] ?? [], scale);
      return other === undefined ? [measure] : [measure, besideOf(temperature, other, scale)];
    });
    return make('li', isOurs(name) ? { class: 'ours' } : {}, make('strong', {}, name), ...measures);
  });
}
