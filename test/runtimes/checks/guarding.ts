// A guard in front of a store: its timers, and signals to abort.

import { guard } from 'bloomery/guard';
import { holds, same } from './assert.ts';
import { type Check, compared } from './check.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

const keys = Array.from({ length: 30 }, (_, i) => `key ${i}`);

async function guardsStore(kind: KindOnEngine): Promise<string> {
  let loads = 0;
  const load = async (key: string): Promise<string> => {
    loads++;
    await new Promise((resolve) => setTimeout(resolve, 1));
    return `row of ${key}`;
  };
  const makeFilter = () => kind.of(keys, kind.optionsFor(60));
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

export const guarding: readonly Check[] = ofKind('classic', 'guards a store', guardsStore);
