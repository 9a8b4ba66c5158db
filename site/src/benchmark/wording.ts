// A result in words.

import { integer, short } from '../format.ts';
import { browserName, systemName } from './browser.ts';
import { type Loss, lossesOf, type Row } from './rows.ts';
import { contenderNames, ERROR_RATE, type Operation, type Result } from './run.ts';
import type { StoredRun } from './stored.ts';

const operationWords: Readonly<Record<Operation, string>> = {
  build: 'building',
  hit: 'present keys',
  miss: 'absent keys',
};

export function nanoseconds(time: number): string {
  return time < 10 ? time.toFixed(1) : integer(time);
}

export function describePlan({ plan: { keys, rounds } }: Result): string {
  return `${integer(keys)} keys, error rate ${100 * ERROR_RATE} %, medians of ${rounds} rounds. Nanoseconds per key: shorter is faster.`;
}

/** Pairs of a name and a value. Of a stored run, more is known than what its browser told. */
export function describeMachine(result: Result, stored: StoredRun | undefined): readonly (readonly [string, string])[] {
  const { userAgent, cores, engine, bloomery, bloomfilter, clock, date } = result.machine;
  const isStored = stored?.result === result;
  return [
    ['browser', browserName(userAgent)],
    ['system', systemName(userAgent)],
    ['cores', cores === 0 ? 'not told' : integer(cores)],
    ['engine', engine === 'wasm' ? 'WebAssembly' : 'plain JavaScript'],
    ['versions', `bloomery ${bloomery}, bloomfilter ${bloomfilter}`],
    ['step of the clock', `${short(clock)} µs: ${short((1000 * clock) / result.plan.keys)} ns per key`],
    ['date', date],
    ...(isStored
      ? ([
          ['processor', stored.cpu],
          ['memory', `${integer(stored.memory)} GiB`],
        ] as const)
      : []),
  ];
}

export function describeAnswers({ plan: { keys }, falsePositives }: Result): string {
  const counts = contenderNames.map((name, i) => `${name} ${integer(falsePositives[i] ?? 0)}`);
  return (
    `Each present key was found in each round. How many of ${integer(keys)} absent keys looked present: ` +
    `${counts.join('; ')}.`
  );
}

function describeLoss({ operation, temperature, ratio }: Loss): string {
  return `${operationWords[operation]}, ${temperature}: ${ratio.toFixed(2)} ×`;
}

/** For each pair of contenders where ours is slower: in which cases, and how many times as long it takes. */
export function describeLosses(rows: readonly Row[]): { readonly pair: string; readonly where: readonly string[] }[] {
  const pairs = new Map<string, string[]>();
  for (const loss of lossesOf(rows)) {
    const pair = `${loss.own}, against ${loss.rival}`;
    pairs.set(pair, [...(pairs.get(pair) ?? []), describeLoss(loss)]);
  }
  return Array.from(pairs, ([pair, where]) => ({ pair, where }));
}
