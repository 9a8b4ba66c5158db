// The lists that pick and omit look up in place of a filter.

import { FilterFullError } from 'bloomery';
import type { FingerprintSet } from 'bloomery/fingerprint-set';
import { memoryError } from '../filters/exact.ts';
import { makeSet } from '../filters/kinds.ts';
import { newTally, type TextFormat } from '../text/format.ts';
import type { Inputs } from '../text/input.ts';
import { threadsFor } from '../threads/count.ts';
import { passKeys } from './fill.ts';

/**
 * Makes a set of the keys of all lists.
 *
 * @param format that of the texts in which the keys are looked up
 * @param wanted how many threads the user wants
 * @throws CommandError if a list cannot be read, or there is no memory for the keys
 */
export async function setOf(lists: Inputs, format: TextFormat, wanted: number | undefined): Promise<FingerprintSet> {
  const set = makeSet(0);
  // What is found in the lists does not count for the texts, and no header of a list is printed.
  const own = { ...format, tally: newTally() };
  const reading = { threads: threadsFor(wanted, lists), seed: set.seed, writesLines: false };
  try {
    await passKeys(lists, own, reading, (keys) => set.addMany(keys));
  } catch (error) {
    if (!(error instanceof FilterFullError)) throw error;
    throw memoryError(set, 'make a filter of the lists, with bloomery build, which errs', error);
  }
  return set;
}
