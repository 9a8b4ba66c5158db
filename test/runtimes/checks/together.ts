// What is made of filters: views of two, and a guard in front of a store.

import { guard } from 'bloomery/guard';
import { difference, intersection, union } from 'bloomery/views';
import { holds, same, sameList } from './assert.ts';
import { type Check, compared, where } from './check.ts';
import { type KindOnEngine, kinds, ofEachKind } from './kinds.ts';

const keys = Array.from({ length: 60 }, (_, i) => `key ${i}`);

/** A guard takes no filters that forget keys. */
const lasting = kinds.filter(({ remembers }) => remembers === Infinity);

async function guardsStore(kind: KindOnEngine): Promise<string> {
  let loads = 0;
  const load = async (key: string): Promise<string> => {
    loads++;
    await new Promise((resolve) => setTimeout(resolve, 1));
    return `row of ${key}`;
  };
  const makeFilter = () => kind.of(keys.slice(0, 30), kind.optionsFor(60));
  const rows = guard(makeFilter(), load, { rebuild: async () => makeFilter() });
  const answers = await Promise.all(Array.from({ length: 100 }, () => rows.get('key 7')));
  same(new Set(answers).size, 1, 'answers');
  same(loads, 1, 'loads');
  const controller = new AbortController();
  const waiting = rows.get('key 8', controller);
  controller.abort(new Error('nobody waits'));
  const message = await waiting.catch((error: Error) => error.message);
  (await rows.rebuild()).dispose();
  same(await rows.get('key 9'), 'row of key 9', 'after a rebuild');
  holds(rows.measuredRate.interval[1] <= 1, 'the rate');
  return compared(String(message));
}

export const together: readonly Check[] = [
  ...ofEachKind('answers together with a filter of every kind', (one) => {
    const a = one.of(keys.slice(0, 30), one.optionsFor(60));
    for (const other of kinds) {
      const b = other.of(keys.slice(20, 50), other.optionsFor(60));
      const both = keys.map((key) => [a.has(key), b.has(key)] as const);
      const flags = (rule: (inA: boolean, inB: boolean) => boolean): Uint8Array =>
        Uint8Array.from(both, ([inA, inB]) => Number(rule(inA, inB)));
      sameList(
        difference(a, b).hasMany(keys),
        flags((inA, inB) => inA && !inB),
        `not in ${other.name}`,
      );
      sameList(
        union(a, b).hasMany(keys),
        flags((inA, inB) => inA || inB),
        `or in ${other.name}`,
      );
      sameList(
        intersection(a, b).hasMany(keys),
        flags((inA, inB) => inA && inB),
        `and in ${other.name}`,
      );
      b.dispose();
    }
    a.dispose();
  }),
  ...where('web', ofEachKind('guards a store', guardsStore, lasting)),
];
