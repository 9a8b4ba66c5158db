// Runs in a page for `main.ts`: times one engine, `?engine=wasm` or `js`, against other filters.

import * as wasm from 'bloomery';
import * as js from 'bloomery/js';
import { ask } from '../../test/runtimes/browsers/pages/runner.ts';
import { type KeyType, keyTypes, listsOf, renew } from '../shared/key-types.ts';
import { batchOf, newTimes, peer, plain, runRound, singleOf, type Times } from '../shared/slices.ts';

/** A job for the page: which type of keys, and how to time them. */
export interface Job {
  readonly type: string;
  readonly errorRate: number;
  readonly slice: number;
  readonly rounds: number;
}

/** The result of a job. */
export interface Done {
  readonly contenders: readonly string[];
  readonly measured: Times;
  /** The smallest step of the page's clock, in microseconds. */
  readonly clock: number;
}

const engine = new URLSearchParams(location.search).get('engine') === 'js' ? js : wasm;
const name = engine === js ? 'bloomery/js' : 'bloomery';
const own = [batchOf(name, engine.BloomFilter), singleOf(name, engine.BloomFilter), plain];

function clockStep(): number {
  const steps = Array.from({ length: 20 }, () => {
    const start = performance.now();
    let now = start;
    while (now === start) now = performance.now();
    return now - start;
  });
  return 1000 * Math.min(...steps);
}

async function measure({ type, errorRate, slice, rounds }: Job): Promise<Done> {
  const { present, again, absent } = listsOf(keyTypes[type] as KeyType);
  const contenders = present.every((key) => typeof key === 'string') ? [...own, peer] : own;
  const measured = newTimes(contenders);
  for (let round = 0; round <= rounds; round++) {
    const lists = { present: renew(present), again: renew(again), absent: renew(absent) };
    // The first round warms up.
    runRound(contenders, lists, errorRate, slice, round === 0 ? newTimes(contenders) : measured);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return { contenders: contenders.map((each) => each.name), measured, clock: clockStep() };
}

try {
  for (let job = await ask<Job | null>('job'); job !== null; job = await ask<Job | null>('job')) {
    await ask('done', await measure(job));
  }
} catch (error) {
  await ask('failed', String(error));
}
