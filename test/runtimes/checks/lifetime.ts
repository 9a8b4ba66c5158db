// Filters begin, are many at once, and end.

import { errorOf, holds, same, sameList } from './assert.ts';
import type { Check } from './check.ts';
import { type KindOnEngine, ofEachKind, ofKind } from './kinds.ts';

async function checkPrepare({ Filter, of, optionsFor }: KindOnEngine): Promise<void> {
  const prepared = Filter.prepare();
  holds(prepared instanceof Promise, 'prepare gives a promise');
  holds((await prepared) === undefined, 'it resolves to nothing');
  await Filter.prepare();
  same(of(['a'], optionsFor(1)).has('a'), true, 'a filter works');
}

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

/** Also by the symbol of `using`, which a polyfill may define late. */
async function checkDisposal({ Filter }: KindOnEngine): Promise<string> {
  const isMissing = Symbol.dispose === undefined;
  const early: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
  if (isMissing) Object.defineProperty(Symbol, 'dispose', { value: Symbol('Symbol.dispose'), configurable: true });
  try {
    for (const dispose of ['dispose', early, Symbol.dispose] as const) {
      const filter = Filter.from(['a']);
      filter[dispose]();
      filter[dispose]();
      for (const use of [() => filter.has('a'), () => filter.addMany(['a']), () => filter.clone()]) {
        holds((await errorOf(use, String(use))) instanceof TypeError, `${use} throws a TypeError`);
      }
    }
  } finally {
    if (isMissing) Reflect.deleteProperty(Symbol, 'dispose');
  }
  return `Symbol.dispose ${isMissing ? 'does not exist' : 'exists'} here`;
}

// `prepare` is first: on a page, Chrome before 115 makes no filter that has not been prepared.
export const lifetime: readonly Check[] = [
  ...ofEachKind('prepare()', checkPrepare),
  ...ofKind('classic', `${LIVE} live filters of 1.5 MiB`, checkLive),
  ...ofKind('classic', 'dispose', checkDisposal),
];
