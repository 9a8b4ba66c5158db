// The keys of texts that have values, and where they are.

import type { KeyColumn } from 'bloomery';
import { nameOf, quote } from '../errors.ts';
import { integer } from '../numbers.ts';
import { endOfRecord, type InvalidRecord, linesIn, newTally, type TextFormat, type ValuePlace } from './format.ts';
import { KeyWriter } from './key-writer.ts';
import { keyedIn, keysOf } from './records.ts';

/** The largest value. */
const LARGEST = 2 ** 32 - 1;
const [ZERO, NINE] = [48, 57];

/** A list of integers of 32 bits that grows. */
class Integers {
  #all = new Uint32Array(1024);
  #length = 0;

  push(value: number): void {
    if (this.#length === this.#all.length) {
      const longer = new Uint32Array(2 * this.#length);
      longer.set(this.#all);
      this.#all = longer;
    }
    this.#all[this.#length++] = value;
  }

  toArray(): Uint32Array {
    return this.#all.subarray(0, this.#length);
  }
}

/** One of the keys of a column. */
function bytesOf({ data, offsets }: KeyColumn, i: number): Uint8Array {
  return data.subarray(Number(offsets[i]), Number(offsets[i + 1]));
}

/** One of the keys of a column, as text. */
export function textOf(keys: KeyColumn, i: number): string {
  return Buffer.from(bytesOf(keys, i)).toString();
}

/** Reads a value: digits of a number up to the largest value. NaN for anything else. */
function valueIn({ data, offsets }: KeyColumn, i: number): number {
  const [from, end] = [Number(offsets[i]), Number(offsets[i + 1])];
  let value = from < end ? 0 : Number.NaN;
  for (let at = from; at < end; at++) {
    const byte = data[at] as number;
    value = byte >= ZERO && byte <= NINE ? 10 * value + byte - ZERO : Number.NaN;
  }
  return value <= LARGEST ? value : Number.NaN;
}

/** Counts a record that has no value. The first one in the text is kept, and JSON is checked before values are. */
function leaveOut({ tally }: TextFormat, record: InvalidRecord): void {
  tally.invalid++;
  const { firstInvalid: first } = tally;
  if (first === undefined || (first.input === record.input && first.line > record.line)) tally.firstInvalid = record;
}

/** The keys and values of all sections of some texts, in order. */
export class ValuedKeys {
  readonly #keys = new KeyWriter(0);
  readonly #values = new Integers();
  readonly #lines = new Integers();
  /** The inputs, and how many keys come before each. */
  readonly #inputs: { readonly name: string; readonly before: number }[] = [];

  /** Adds the records of a section. One without a value is invalid, and left out. */
  add(text: Uint8Array, format: TextFormat): void {
    const { value, input } = format;
    if (this.#inputs.at(-1)?.name !== input.name) this.#inputs.push({ name: input.name, before: this.#keys.count });
    // Both count lines on their own.
    const { keys, invalid = [] } = keyedIn(text, { ...format, input: { ...input } });
    const place: ValuePlace = value ?? { fields: [], members: [] };
    const inValues = { ...format, ...place, trim: true, ignoreCase: false, input: { ...input }, tally: newTally() };
    const values = keysOf(text, inValues) as KeyColumn;
    const others = new Set(invalid);
    let line = input.lines + 1;
    for (let [at, record, i] = [0, 0, 0]; at < text.length && i < values.length; record++) {
      if (!others.has(record)) this.#add(keys as KeyColumn, values, i++, line, format);
      const end = endOfRecord(text, at, format);
      line += linesIn(text, at, end, format);
      at = end;
    }
    input.lines = line - 1;
  }

  #add(keys: KeyColumn, values: KeyColumn, i: number, line: number, format: TextFormat): void {
    const value = valueIn(values, i);
    if (Number.isNaN(value)) {
      const reason = `has the value ${quote(textOf(values, i))}, which is not a whole number from 0 to ${LARGEST}`;
      leaveOut(format, { input: format.input.name, line, reason });
      return;
    }
    this.#keys.copy(keys.data, Number(keys.offsets[i]), Number(keys.offsets[i + 1]));
    this.#keys.end();
    this.#values.push(value);
    this.#lines.push(line);
  }

  keys(): KeyColumn {
    return this.#keys.toColumn();
  }

  values(): Uint32Array {
    return this.#values.toArray();
  }

  /** Where a key was: `'list.csv', line 3`. */
  placeOf(i: number): string {
    const input = this.#inputs.findLast(({ before }) => before <= i);
    return `${nameOf(input?.name ?? '')}, line ${integer(this.#lines.toArray()[i] ?? 0)}`;
  }
}
