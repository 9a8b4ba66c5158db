// Compares the JS engine with other filters in plain JavaScript: `npm run bench:js -- --help`.

import { printed } from './command.ts';
import { collectGarbage } from './heap.ts';
import { aboutSets, makeSet } from './keys.ts';
import { describeMachine, thisMachine } from './machine.ts';
import { type Options, readOptions } from './options.ts';
import { planOf } from './plan.ts';
import { integer, nanoseconds, tableOf, times } from './report.ts';
import {
  batch,
  type Contender,
  newTimes,
  operations,
  type PeerClass,
  peer,
  plain,
  runRound,
  single,
} from './slices.ts';
import { ratioOf, spreadOf } from './statistics.ts';
import { status } from './status.ts';

const ERROR_RATE = 0.01;
const SLICE = 2000;
const DEFAULTS: Options = { keys: [100_000], sets: ['names', 'short', 'long'], rounds: 15, json: false, save: false };

const USAGE = `Usage: npm run bench:js -- [options]

  --keys 1e4,1e6    how many strings to add, and to look up (default: ${DEFAULTS.keys.join(',')})
  --sets names      which of ${DEFAULTS.sets.join(', ')} (default: all)
  --rounds 15       how many rounds to take the median of (default: ${DEFAULTS.rounds})
  --help            show this text`;

/** A time that few others undercut: with other work on the machine, close to that without. */
function quick(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 20)] ?? Number.NaN;
}

function sectionFor(contenders: readonly Contender[], baseline: number, set: string, count: number, rounds: number) {
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
  const rows = operations.flatMap((operation) =>
    contenders.map(({ name }, index) => {
      const own = measured[operation][index] ?? [];
      const other = measured[operation][baseline] ?? [];
      return [
        operation,
        name,
        nanoseconds(spreadOf(own).median),
        times(ratioOf(other, own).median),
        nanoseconds(quick(own)),
        times(quick(own) / quick(other)),
      ];
    }),
  );
  const header = ['operation', 'filter', 'ns per key', '× bloomfilter', 'least ns', '× bloomfilter'];
  const table = tableOf(header, rows, ['left', 'left', 'right', 'right', 'right', 'right']);
  return [`## ${set}: ${integer.format(count)} keys`, `${aboutSets[set]}.`, table].join('\n\n');
}

async function report({ keys, sets, rounds }: Options): Promise<string> {
  const name: string = 'bloomfilter';
  const { BloomFilter }: { BloomFilter: PeerClass } = await import(name);
  const contenders = [batch, single, peer(BloomFilter), plain];
  const sections = keys.flatMap((count) => sets.map((set) => sectionFor(contenders, 2, set, count, rounds)));
  return [
    '# bloomery: the JS engine',
    describeMachine(thisMachine()),
    `The filters take turns every ${integer.format(SLICE)} keys, for ${rounds} rounds, error rate ${100 * ERROR_RATE} %. ` +
      '× bloomfilter: the time as a multiple of that of the package; below 1 is faster. The median of all turns, ' +
      'and the 20th of the turns that took the least.',
    ...sections,
  ].join('\n\n');
}

const plan = planOf(USAGE, (args) => readOptions(args, DEFAULTS));
if (plan !== undefined) await printed(() => report(plan));
