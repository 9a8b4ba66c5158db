// Filters begin, are many at once, and end.

import { errorOf, holds, sameList } from './assert.ts';
import type { Check } from './check.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

/** More than the 125 memories that Chromium allows a page and its workers together. */
const LIVE = 130;

function checkLive({ Filter }: KindOnEngine): void {
  const bits = 12 * 2 ** 20;
  const live = Array.from({ length: LIVE }, (_, i) => new Filter({ bits, hashes: 3 }).addMany([i, `filter ${i}`]));
  try {
    live.forEach((filter, i) => {
      const wanted = [1, 1, 0, 0];
      sameList(filter.hasMany([i, `filter ${i}`, i + 1, `filter ${i + 1}`]), wanted, `filter ${i}`);
    });
  } finally {
    for (const filter of live) filter.dispose();
  }
}

async function checkDisposal({ Filter }: KindOnEngine): Promise<void> {
  const symbol: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
  for (const dispose of ['dispose', symbol] as const) {
    const filter = Filter.from(['a']);
    filter[dispose]();
    filter[dispose]();
    for (const use of [() => filter.has('a'), () => filter.addMany(['a']), () => filter.clone()]) {
      holds((await errorOf(use, String(use))) instanceof TypeError, `${use} throws a TypeError`);
    }
  }
}

export const lifetime: readonly Check[] = [
  ...ofKind('classic', `${LIVE} live filters of 1.5 MiB`, checkLive),
  ...ofKind('classic', 'dispose', checkDisposal),
];
