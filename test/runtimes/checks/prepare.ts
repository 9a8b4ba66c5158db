import { holds, same } from './assert.ts';
import type { Check } from './check.ts';
import { type KindOnEngine, ofEachKind } from './kinds.ts';

async function checkPrepare({ Filter, of, optionsFor }: KindOnEngine): Promise<void> {
  const prepared = Filter.prepare();
  holds(prepared instanceof Promise, 'prepare gives a promise');
  holds((await prepared) === undefined, 'it resolves to nothing');
  await Filter.prepare();
  same(of(['a'], optionsFor(1)).has('a'), true, 'a filter works');
}

export const prepare: readonly Check[] = ofEachKind('prepare()', checkPrepare);
