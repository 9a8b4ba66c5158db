// Compares the JS engine with other filters in plain JavaScript: `npm run bench:js -- --help`.

import { BloomFilter } from 'bloomery/js';
import { printed } from './command.ts';
import { collectGarbage } from './heap.ts';
import { aboutSets, makeSet } from './keys.ts';
import { describeMachine, thisMachine } from './machine.ts';
import { type Options, readOptions } from './options.ts';
import { planOf } from './plan.ts';
import { integer } from './report.ts';
import { batchOf, newTimes, peer, plain, runRound, singleOf } from './slices.ts';
import { legend, slicesTable } from './slices-report.ts';
import { status } from './status.ts';

const ERROR_RATE = 0.01;
const SLICE = 2000;
const DEFAULTS: Options = { keys: [100_000], sets: ['names', 'short', 'long'], rounds: 15, json: false, save: false };

const USAGE = `Usage: npm run bench:js -- [options]

  --keys 1e4,1e6    how many strings to add, and to look up (default: ${DEFAULTS.keys.join(',')})
  --sets names      which of ${DEFAULTS.sets.join(', ')} (default: all)
  --rounds 15       how many rounds to take the median of (default: ${DEFAULTS.rounds})
  --help            show this text`;

const NAME = 'bloomery/js';
const contenders = [batchOf(NAME, BloomFilter), singleOf(NAME, BloomFilter), peer, plain];

function sectionFor(set: string, count: number, rounds: number): string {
  const made = makeSet(set, count);
  if (made === undefined) throw new RangeError(`there are not ${integer.format(count)} ${set}`);
  const { present, again, absent } = made;
  const measured = newTimes(contenders);
  for (let round = 0; round <= rounds; round++) {
    status(`${set}, ${count} keys: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`} …`);
    for (const keys of [present, again, absent]) keys.renew();
    collectGarbage();
    const lists = { present: present.each(), again: again.each(), absent: absent.each() };
    const strings = lists as Record<keyof typeof lists, string[]>;
    runRound(contenders, strings, ERROR_RATE, SLICE, round === 0 ? newTimes(contenders) : measured);
  }
  const table = slicesTable(contenders, contenders.indexOf(peer), measured);
  return [`## ${set}: ${integer.format(count)} keys`, `${aboutSets[set]}.`, table].join('\n\n');
}

function report({ keys, sets, rounds }: Options): string {
  const sections = keys.flatMap((count) => sets.map((set) => sectionFor(set, count, rounds)));
  return [
    '# bloomery: the JS engine',
    describeMachine(thisMachine()),
    `The filters take turns every ${integer.format(SLICE)} keys, for ${rounds} rounds, error rate ${100 * ERROR_RATE} %. ` +
      legend,
    ...sections,
  ].join('\n\n');
}

const plan = planOf(USAGE, (args) => readOptions(args, DEFAULTS));
if (plan !== undefined) await printed(() => report(plan));
