// Runs the cases of a reader, and counts the results.

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
  readonly seed: number;
  /** The number of the first case. Default: 0. */
  readonly first?: number;
  /** How many cases to run. Recording the stack traces of many would take longer than everything else. */
  readonly count: number;
  /** Where to write the input of a case that fails. */
  readonly folder: string;
}

/** A case failed. The message says how to repeat it, and where its input is. */
export class FuzzError extends Error {
  override readonly name = 'FuzzError';

  constructor(reader: string, { seed, folder }: FuzzOptions, number: number, input: Cases['input'], cause: unknown) {
    const command = `npm run fuzz -- --seed ${seed} --only '${reader}' --case ${number}`;
    const file = `${reader.replaceAll(/\W+/g, '-')}-${seed}-${number}.${typeof input === 'string' ? 'txt' : 'bin'}`;
    super(`${reader}: case ${number} of seed ${seed}; ${command}; its input is in ${join(folder, file)}`, { cause });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), input);
  }
}

/**
 * Runs random cases of a reader, which are the same for the same seed.
 *
 * @throws FuzzError for the first case that fails
 */
export async function fuzz(reader: Reader, options: FuzzOptions): Promise<Tally> {
  const { seed, first = 0, count } = options;
  const { name } = reader;
  const cases = new Cases(seed, name);
  const tally: Tally = { name, read: 0, refused: 0, time: 0, slowest: { time: 0, number: first } };
  const { stackTraceLimit } = Error;
  if (count > 1) Error.stackTraceLimit = 0;
  try {
    for (let number = first; number < first + count; number++) {
      // Promises alone would never let timers and messages in.
      if (number % 256 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      const begun = performance.now();
      cases.start(number);
      try {
        const outcome = reader.run(cases);
        // Awaiting what is no promise would take longer than many a case.
        tally[typeof outcome === 'string' ? outcome : await outcome]++;
      } catch (error) {
        throw new FuzzError(name, options, number, cases.input, error);
      }
      const time = performance.now() - begun;
      tally.time += time;
      if (time > tally.slowest.time) tally.slowest = { time, number };
    }
    return tally;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
