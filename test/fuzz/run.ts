// Runs the cases of many readers, and reports the results. A reader's share decides how many cases it gets.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cases, type Reader } from './subject.ts';

/** What came of the cases of a reader. */
export interface Tally {
  readonly name: string;
  read: number;
  refused: number;
  /** How long its cases took, in milliseconds. */
  time: number;
  /** How long the slowest case took, in milliseconds, and its number. */
  slowest: { time: number; number: number };
}

export interface FuzzOptions {
  /** How many cases to run, of all readers together. */
  readonly count: number;
  readonly seed: number;
  /** For how many milliseconds to run at most; by default as long as it takes. */
  readonly limit?: number;
  /** Where to write the input of a case that fails; by default nowhere. */
  readonly folder?: string;
  /** Called about once for each percent of the cases. */
  readonly onProgress?: (tallies: readonly Tally[]) => void;
}

/** A case failed. The message says how to repeat it. */
export class FuzzError extends Error {
  override readonly name = 'FuzzError';
  readonly input: Uint8Array | string;

  constructor(name: string, seed: number, number: number, input: FuzzError['input'], saved: string, cause: unknown) {
    const command = `npm run fuzz -- --seed ${seed} --only '${name}' --case ${number}`;
    super(`${name}: case ${number} of seed ${seed}; ${command}${saved}`, { cause });
    this.input = input;
  }
}

/** Writes an input to a folder, and says where. */
function saved(name: string, input: FuzzError['input'], folder: string | undefined): string {
  if (folder === undefined) return '';
  const path = join(folder, `${name.replaceAll(/\W+/g, '-')}.${typeof input === 'string' ? 'txt' : 'bin'}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, input);
  return `; its input is in ${path}`;
}

/** So many rounds divide a run: in each, every reader gets its share. So a run that is ended early has run them all. */
const ROUNDS = 100;

/** The cases of one reader, which are run some at a time. */
function runOf(reader: Reader, seed: number, folder: string | undefined) {
  const { name } = reader;
  const cases = new Cases(seed, name);
  const tally: Tally = { name, read: 0, refused: 0, time: 0, slowest: { time: 0, number: 0 } };

  async function one(number: number): Promise<void> {
    const begun = performance.now();
    cases.start(number);
    try {
      const outcome = reader.run(cases);
      // Awaiting what is no promise would take longer than many a case.
      tally[typeof outcome === 'string' ? outcome : await outcome]++;
    } catch (error) {
      const where = saved(`${name}-${seed}-${number}`, cases.input, folder);
      throw new FuzzError(name, seed, number, cases.input, where, error);
    }
    const time = performance.now() - begun;
    tally.time += time;
    if (time > tally.slowest.time) tally.slowest = { time, number };
  }

  /** Runs the cases up to a number, or until it is time to end. */
  async function upTo(end: number, deadline: number): Promise<void> {
    for (let number = tally.read + tally.refused; number < end; number++) {
      // Promises alone would never let timers and messages in.
      if (number % 256 === 0) {
        if (performance.now() > deadline) return;
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      await one(number);
    }
  }

  return { tally, one, upTo };
}

/**
 * Runs random cases of readers, in the same order for the same seed.
 *
 * @throws FuzzError for the first case that fails
 */
export async function fuzz(readers: readonly Reader[], options: FuzzOptions): Promise<Tally[]> {
  const { count, seed, limit = Number.POSITIVE_INFINITY, folder, onProgress } = options;
  const deadline = performance.now() + limit;
  const all = readers.reduce((sum, { share }) => sum + share, 0);
  const runs = readers.map((reader) => ({
    run: runOf(reader, seed, folder),
    count: Math.max(1, Math.round((count * reader.share) / all)),
  }));
  const tallies = runs.map(({ run }) => run.tally);
  return withoutTraces(async () => {
    for (let round = 1; round <= ROUNDS && performance.now() <= deadline; round++) {
      for (const each of runs) await each.run.upTo(Math.ceil((each.count * round) / ROUNDS), deadline);
      onProgress?.(tallies);
    }
    return tallies;
  });
}

/**
 * Runs one case again, with stack traces.
 *
 * @throws FuzzError if it fails
 */
export async function repeat(reader: Reader, seed: number, number: number, folder?: string): Promise<Tally> {
  const run = runOf(reader, seed, folder);
  await run.one(number);
  return run.tally;
}

/** Recording the stack traces of errors would take longer than everything else. */
async function withoutTraces<T>(work: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
