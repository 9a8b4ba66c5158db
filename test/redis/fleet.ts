// Several processes that add overlapping keys, and what must hold of their answers.

import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import { afterAll, expect } from 'vitest';
import type { BlockedBloomFilter } from '../../src/index.ts';
import { blockedBitsOf, bytesOf, murmur3 } from '../shared/oracle.ts';
import { AGAIN, keyOf, NEW, type Outcome, type Work } from './worker.ts';

/** Next to the clients that it imports. */
const PROGRAM: string = `test/redis/node_modules/.cache/worker-${process.pid}.mjs`;

/** Compiles the program of the processes, so that each starts fast. */
export async function buildWorker(): Promise<void> {
  await build({
    entryPoints: ['test/redis/worker.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile: PROGRAM,
  });
}

afterAll(() => rmSync(PROGRAM, { force: true }));

/** Processes at work. */
export class Fleet {
  /** Resolved once all have opened the filter. */
  readonly opened: Promise<unknown>;
  readonly outcomes: Promise<Outcome[]>;

  constructor(works: readonly Work[]) {
    const processes = works.map((work) => fork(PROGRAM, [JSON.stringify(work)]));
    this.opened = Promise.all(processes.map((each) => new Promise((resolve) => each.once('message', resolve))));
    this.outcomes = Promise.all(processes.map(outcomeOf));
  }
}

function outcomeOf(child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let outcome: Outcome | undefined;
    child.on('message', (message) => {
      if (typeof message === 'object') outcome = message as Outcome;
    });
    child.on('exit', (code) => (outcome ? resolve(outcome) : reject(new Error(`a process ended with ${code}`))));
  });
}

/** What all processes together know of each key. */
export interface Summary {
  /** The keys that were added. */
  readonly added: readonly string[];
  /** The keys that were new to no process, and that none had to add again. */
  readonly neverNew: readonly string[];
  /** The keys that a process had to add again, so that it may not know whether they were new. */
  readonly addedAgain: number;
  /** The number of keys that were new to several processes. */
  readonly newTwice: number;
  readonly errors: readonly string[];
}

export function summarize(outcomes: readonly Outcome[], universe: number): Summary {
  const states = outcomes.map((outcome) => Buffer.from(outcome.states, 'base64'));
  const added: string[] = [];
  const neverNew: string[] = [];
  let newTwice = 0;
  let addedAgain = 0;
  for (let i = 0; i < universe; i++) {
    if (states.every((each) => each[i] === 0)) continue;
    const news = states.filter((each) => ((each[i] ?? 0) & NEW) !== 0).length;
    const isAgain = states.some((each) => ((each[i] ?? 0) & AGAIN) !== 0);
    added.push(keyOf(i));
    if (isAgain) addedAgain++;
    if (news === 0 && !isAgain) neverNew.push(keyOf(i));
    if (news > 1) newTwice++;
  }
  return { added, neverNew, addedAgain, newTwice, errors: outcomes.flatMap(({ errors }) => Object.keys(errors)) };
}

/** Throws unless every key that was new to nobody is a false positive: other keys have set all of its bits. */
export function expectFalsePositives({ added, neverNew }: Summary, local: BlockedBloomFilter): void {
  const counts = new Uint16Array(local.bits);
  const bitsOf = (key: string): number[] => blockedBitsOf(murmur3(bytesOf(key), local.seed)[0], local.bits / 256);
  for (const key of added) for (const bit of bitsOf(key)) counts[bit] = (counts[bit] ?? 0) + 1;
  expect(neverNew.filter((key) => bitsOf(key).some((bit) => counts[bit] === 1))).toEqual([]);
}
