// How build makes a map: of the keys and values of texts.

import { FilterMemoryError } from 'bloomery';
import { CommandError, quote } from '../errors.ts';
import type { AnyFilter, MapClass } from '../filters/kinds.ts';
import { leastRate } from '../numbers.ts';
import { requireValid, type TextFormat } from '../text/format.ts';
import type { Inputs } from '../text/input.ts';
import { withProgress } from '../text/progress.ts';
import { warnOfRecords } from '../text/records.ts';
import { readSections } from '../text/sections.ts';
import { textOf, ValuedKeys } from '../text/values.ts';

/** The bits of a cell, which holds a value and a fingerprint. */
const CELL_BITS = 32;

/** The error of a key that has two values. */
interface TwoValues {
  readonly positions: readonly [first: number, second: number];
}

interface Wanted {
  readonly errorRate: number;
  readonly seed: number | undefined;
}

/**
 * Says why the library cannot make a map, in the words of the command line.
 *
 * @throws the error, if it is about something else
 */
function refusal(records: ValuedKeys, error: unknown): string {
  if (error instanceof FilterMemoryError) return error.message;
  if (!(error instanceof RangeError)) throw error;
  const values = records.values();
  if ('positions' in error) {
    const { positions } = error as TwoValues;
    const [one, other] = positions.map((i) => `${values[i]} in ${records.placeOf(i)}`);
    return `the key ${quote(textOf(records.keys(), positions[1]))} has two values: ${one}, and ${other}`;
  }
  const largest = values.reduce((most, value) => Math.max(most, value), 0);
  const bits = CELL_BITS - Math.clz32(largest);
  const has = `${records.placeOf(values.indexOf(largest))} has the value ${largest}`;
  return bits < CELL_BITS
    ? `${has}, so that the map needs an --error-rate of at least ${leastRate(2 ** (bits - CELL_BITS))}`
    : `${has}: values must be less than ${2 ** (CELL_BITS - 1)} for a map that tells which keys are absent`;
}

/**
 * Makes a map of the keys and values of all inputs, which will be saved as `output`.
 *
 * @throws CommandError if a record has no value, a key has two, or the values leave no room for that error rate
 */
export async function mapOf(
  Class: MapClass,
  inputs: Inputs,
  format: TextFormat,
  output: string,
  wanted: Wanted,
): Promise<AnyFilter> {
  const records = new ValuedKeys();
  for await (const { bytes, format: own } of withProgress(
    readSections(inputs, format),
    inputs,
    format,
    output === '-',
  )) {
    records.add(bytes, own);
    requireValid(format);
  }
  let map: AnyFilter;
  try {
    map = Class.from(records.keys(), records.values(), wanted);
  } catch (error) {
    throw new CommandError(refusal(records, error), { cause: error });
  }
  warnOfRecords(format);
  return map;
}
