// Compares filters whose keys are hashed under a secret with the same filters without one.

import { BlockedBloomFilter, BloomFilter, type GrowingFilter, type Keys } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import * as js from 'bloomery/js';
import { generateSecret, keyed } from 'bloomery/keyed';
import { keyed as keyedJs } from 'bloomery/keyed/js';
import { benchmark, choice, count, type Run, rounds, status } from './shared/cli.ts';
import { cellsOf, integer, nanoseconds, ratioOf, spreadOf, tableOf, times } from './shared/figures.ts';
import { aboutSets, type KeySet, requireSet } from './shared/keys.ts';
import { describeMachine } from './shared/machine.ts';
import { type Calls, timeCalls } from './shared/measure.ts';
import { ownLoops } from './shared/own-loops.ts';

const ERROR_RATE = 0.01;

type Key = string | number | Uint8Array;

/** A class of filters, as this benchmark uses it. */
interface Class {
  new (options: { capacity: number; errorRate: number }): GrowingFilter & { addMany(keys: Keys): unknown };
}

interface Pair {
  readonly name: string;
  readonly plain: Class;
  readonly keyed: Class;
}

const secret = generateSecret();

const pairs: readonly Pair[] = [
  { name: 'BloomFilter', plain: BloomFilter, keyed: keyed(BloomFilter, secret) },
  { name: 'BlockedBloomFilter', plain: BlockedBloomFilter, keyed: keyed(BlockedBloomFilter, secret) },
  { name: 'CuckooFilter', plain: CuckooFilter, keyed: keyed(CuckooFilter, secret) },
  { name: 'BloomFilter, JS engine', plain: js.BloomFilter, keyed: keyedJs(js.BloomFilter, secret) },
];

/** What is measured of a class: adding keys, and looking up the same ones, in a batch and one by one. */
function callsFor(Class: Class, label: string, { present, again }: KeySet): Calls[] {
  const options = { capacity: present.count, errorRate: ERROR_RATE };
  const filled = new Class(options);
  filled.addMany(present.many);
  let empty = filled;
  const flags = new Uint8Array(present.count);
  const loops = ownLoops<Key, GrowingFilter>(label);
  const renew = (): void => {
    if (empty !== filled) empty.dispose();
    empty = new Class(options);
  };
  const task = (name: string, least: number, prepare: () => void, run: Calls['run']): Calls => {
    return { label: `${label}, ${name}`, keys: present.count, least, prepare, run };
  };
  const most = Math.floor(present.count * 0.9);
  return [
    task('add, batch', 0, renew, () => {
      empty.addMany(present.many);
      return 0;
    }),
    task('has, batch', present.count, again.renew, () => filled.hasMany(again.many, flags)),
    // Some look present before they are added.
    task('add, one by one', most, renew, () => loops.addEach(empty, present.each() as ArrayLike<Key>)),
    task('has, one by one', present.count, again.renew, () => loops.hasEach(filled, again.each() as ArrayLike<Key>)),
  ];
}

const OPERATIONS = ['add, batch', 'has, batch', 'add, one by one', 'has, one by one'];

function rowsFor(pair: Pair, set: string, keys: number, rounds: number): string[][] {
  status(`${pair.name}, ${set}: making the keys …`);
  const made = requireSet(set, keys);
  const plain = callsFor(pair.plain, `${pair.name} without a secret, ${set}`, made);
  const keyedCalls = callsFor(pair.keyed, `${pair.name} with a secret, ${set}`, made);
  const timings = timeCalls([...plain, ...keyedCalls], rounds, `${pair.name}, ${set}`);
  return OPERATIONS.map((operation, i) => {
    const [without, under] = [timings[i]?.rounds ?? [], timings[i + plain.length]?.rounds ?? []];
    const [time, timeKeyed] = [without, under].map((all) => nanoseconds(spreadOf(all).median)) as [string, string];
    return [pair.name, set, operation, time, timeKeyed, ...cellsOf(ratioOf(under, without), times)];
  });
}

const options = {
  keys: count('how many keys to add, and to look up', 1e7, '1e5'),
  sets: choice('which of names, integers, lines, bytes, long', ['names', 'integers', 'lines', 'bytes', 'long']),
  rounds: rounds(9),
};

const run: Run = benchmark(options, ({ keys, sets, rounds }) => {
  const rows = sets.flatMap((set) => pairs.flatMap((pair) => rowsFor(pair, set, keys, rounds)));
  return [
    '# bloomery: keys hashed under a secret',
    describeMachine(),
    `${integer.format(keys)} keys, error rate ${100 * ERROR_RATE} %, medians of ${rounds} rounds. The last columns are ` +
      'how many times as fast a filter with a secret is as the same without one, and the lowest and the highest; below 1 ' +
      'is slower.',
    ...sets.map((set) => `- ${set}: ${aboutSets[set]}.`),
    tableOf(['filter', 'keys', 'calls', 'ns without', 'ns with', 'times as fast', 'spread'], rows),
  ].join('\n\n');
});
export default run;
