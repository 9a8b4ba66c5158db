// Compares the JS engine with other filters in plain JavaScript.

import { BloomFilter } from 'bloomery/js';
import { benchmark, choice, counts, inRounds, type Run, rounds } from './shared/cli.ts';
import { integer } from './shared/figures.ts';
import { aboutSets, requireSet } from './shared/keys.ts';
import { collectGarbage, describeMachine } from './shared/machine.ts';
import { batchOf, legend, newTimes, peer, plain, runRound, singleOf, slicesTable } from './shared/slices.ts';

const ERROR_RATE = 0.01;
const SLICE = 2000;
const NAME = 'bloomery/js';
const contenders = [batchOf(NAME, BloomFilter), singleOf(NAME, BloomFilter), peer, plain];

function sectionFor(set: string, count: number, rounds: number): string {
  const { present, again, absent } = requireSet(set, count);
  const measured = newTimes(contenders);
  for (const round of inRounds(`${set}, ${count} keys`, rounds)) {
    for (const keys of [present, again, absent]) keys.renew();
    collectGarbage();
    const lists = { present: present.each(), again: again.each(), absent: absent.each() };
    const strings = lists as Record<keyof typeof lists, string[]>;
    runRound(contenders, strings, ERROR_RATE, SLICE, round === 0 ? newTimes(contenders) : measured);
  }
  const names = contenders.map(({ name }) => name);
  const table = slicesTable(names, peer.name, measured);
  return [`## ${set}: ${integer.format(count)} keys`, `${aboutSets[set]}.`, table].join('\n\n');
}

const options = {
  keys: counts('how many strings to add, and to look up', 1e8, '1e5'),
  sets: choice('which of names, short, long', ['names', 'short', 'long']),
  rounds: rounds(15),
};

const run: Run = benchmark(options, ({ keys, sets, rounds }) => {
  const sections = keys.flatMap((count) => sets.map((set) => sectionFor(set, count, rounds)));
  return [
    '# bloomery: the JS engine',
    describeMachine(),
    `The filters take turns every ${integer.format(SLICE)} keys, for ${rounds} rounds, error rate ${100 * ERROR_RATE} %. ` +
      legend,
    ...sections,
  ].join('\n\n');
});
export default run;
