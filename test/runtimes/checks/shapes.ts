// What `pick`, `omit` and `dedupe` return has the form of the keys that they got.

import { column, KeyColumn, KeyLines, lines } from 'bloomery';
import { holds, same, sameList } from './assert.ts';
import type { Check } from './check.ts';
import { type KindOnEngine, ofCombinable } from './kinds.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function checkShapes({ Filter }: KindOnEngine): void {
  const filter = Filter.from(['a', 'b', 1, 2], { capacity: 1000 });
  sameList(filter.pick(['a', 'c', 2]), ['a', 2], 'picked from an array');
  sameList(filter.omit(new Set(['a', 'c', 2])), ['c'], 'omitted from a set');

  const integers = filter.pick(Uint32Array.of(1, 2, 3));
  holds(integers instanceof Uint32Array, 'integers give integers');
  sameList(integers, [1, 2], 'picked from integers');

  const picked = filter.pick(lines(encoder.encode('x\r\nb\r\na')));
  holds(picked instanceof KeyLines, 'lines give lines');
  same(decoder.decode(picked.bytes), 'b\r\na', 'picked from lines');

  const rest = filter.omit(column(encoder.encode('abxy'), Int32Array.of(0, 1, 2, 3, 4)));
  holds(rest instanceof KeyColumn, 'a column gives a column');
  same(decoder.decode(rest.data), 'xy', 'omitted from a column');
  sameList(rest.offsets, [0, 1, 2], 'offsets');

  sameList(filter.dedupe(['a', 'x', 'y', 'x']), ['x', 'y'], 'deduped');
  filter.clear();
  sameList(filter.pick(['a', 'x']), [], 'cleared');
}

export const shapes: readonly Check[] = ofCombinable('pick, omit, dedupe', checkShapes);
