// How build makes a map: of the keys and values of texts.

import { FilterMemoryError } from 'bloomery';
import type { EntrySink } from 'bloomery/disk';
import { CommandError } from '../errors.ts';
import type { Saved, WriteFilter } from '../filters/filter-file.ts';
import { errorsOf, leastRateOfMap, type MapClass, sizeOf, type Wanted } from '../filters/kinds.ts';
import { leastRate } from '../numbers.ts';
import { requireValid, type TextFormat } from '../text/format.ts';
import type { Inputs } from '../text/input.ts';
import { withProgress } from '../text/progress.ts';
import { readSections } from '../text/sections.ts';
import { Places, valuedKeys } from '../text/values.ts';
import { warnOfRecords } from '../text/warnings.ts';
import { throughDisk } from './fill.ts';

/** The error of a key that has two values. */
interface TwoValues {
  readonly positions: readonly [first: number, second: number];
  readonly values: readonly [first: number, second: number];
}

/** The records of a text. */
class Records {
  readonly #places = new Places();
  #largest = 0;
  /** The place of the first record with the largest value. */
  #largestAt = 0;

  /** Passes on the keys and values of a section. */
  pass(text: Uint8Array, format: TextFormat, entries: EntrySink): void {
    const before = this.#places.count;
    const { keys, values } = valuedKeys(text, format, this.#places);
    requireValid(format);
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      if (value <= this.#largest) continue;
      this.#largest = value;
      this.#largestAt = before + i;
    }
    entries.addMany(keys, values);
  }

  /**
   * Says why the library cannot make a map of these, in the words of the command line.
   *
   * @throws the error, if it is about something else
   */
  refusal(errorRate: number, error: unknown): string {
    if (error instanceof FilterMemoryError) return error.message;
    if (!(error instanceof RangeError)) throw error;
    if ('positions' in error) {
      const { positions, values } = error as object as TwoValues;
      const [one, other] = positions.map((position, i) => `${values[i]} in ${this.#places.of(position)}`);
      return `a key has two values: ${one}, and ${other}`;
    }
    const least = leastRateOfMap(this.#largest);
    if (errorRate >= least) return error.message;
    const needs =
      least === 1
        ? 'needs --error-rate 1, with which every key has a value'
        : `needs an --error-rate of at least ${leastRate(least)}`;
    return `${this.#places.of(this.#largestAt)} has the value ${this.#largest}, so that the map ${needs}`;
  }
}

/**
 * Builds a map of the keys and values of all inputs in a temporary file, and writes it to `output`.
 *
 * @param threads how many threads build shards
 * @throws CommandError if a record has no value, a key has two, or the values leave no room for that error rate
 */
export async function buildMap(
  Class: MapClass,
  inputs: Inputs,
  format: TextFormat,
  output: string,
  { errorRate, seed }: Omit<Wanted, 'capacity'>,
  write: WriteFilter,
  threads: number,
): Promise<Saved> {
  // Refuses an error rate before anything is read.
  sizeOf(Class, { errorRate, capacity: 1, largest: 1 });
  const { buildOnDisk } = await import('bloomery/disk');
  const records = new Records();
  const fill = async (entries: EntrySink): Promise<void> => {
    const sections = withProgress(readSections(inputs, format), inputs, format, output === '-');
    for await (const { bytes, format: own } of sections) records.pass(bytes, own, entries);
  };
  try {
    const saved = await throughDisk(write, ({ save, onProgress }) =>
      buildOnDisk(Class, fill, save, { ...errorsOf(errorRate), seed, threads, onProgress }),
    );
    warnOfRecords(format);
    return saved;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(records.refusal(errorRate, error), { cause: error });
  }
}
