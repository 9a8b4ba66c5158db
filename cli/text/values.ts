// The keys of texts that have values, and where these are.

import type { KeyColumn } from 'bloomery';
import { nameOf, quote } from '../errors.ts';
import { integer, LARGEST_VALUE } from '../numbers.ts';
import { endOfRecord, type InvalidRecord, linesIn, newTally, type TextFormat, type ValuePlace } from './format.ts';
import { KeyWriter } from './key-writer.ts';
import { keyedIn, keysOf } from './records.ts';

const [ZERO, NINE] = [48, 57];

/** One of the keys of a column, as text. */
function textOf({ data, offsets }: KeyColumn, i: number): string {
  return Buffer.from(data.subarray(Number(offsets[i]), Number(offsets[i + 1]))).toString();
}

/** Reads a value: digits of a number up to the largest value. NaN for anything else. */
function valueIn({ data, offsets }: KeyColumn, i: number): number {
  const [from, end] = [Number(offsets[i]), Number(offsets[i + 1])];
  let value = from < end ? 0 : Number.NaN;
  for (let at = from; at < end; at++) {
    const byte = data[at] as number;
    value = byte >= ZERO && byte <= NINE ? 10 * value + byte - ZERO : Number.NaN;
  }
  return value <= LARGEST_VALUE ? value : Number.NaN;
}

/** Counts a record that has no value. The first one in the text is kept, and JSON is checked before values are. */
function leaveOut({ tally }: TextFormat, record: InvalidRecord): void {
  tally.invalid++;
  const { firstInvalid: first } = tally;
  if (first === undefined || (first.input === record.input && first.line > record.line)) tally.firstInvalid = record;
}

/** The keys of a column but some. */
function without(keys: KeyColumn, left: ReadonlySet<number>): KeyColumn {
  if (left.size === 0) return keys;
  const kept = new KeyWriter(keys.data.length);
  for (let i = 0; i < keys.length; i++) {
    if (left.has(i)) continue;
    kept.copy(keys.data, Number(keys.offsets[i]), Number(keys.offsets[i + 1]));
    kept.end();
  }
  return kept.toColumn();
}

/** An input, and the place of its first record among all that have values. */
interface Begun {
  readonly input: string;
  readonly first: number;
}

/** Where the records are that have values. It takes memory only where these are not on consecutive lines. */
export class Places {
  readonly #inputs: Begun[] = [];
  /** For each run of records on consecutive lines the place of the first among all records, and its line. */
  #runs: Float64Array<ArrayBuffer> = new Float64Array(1024);
  /** The numbers in it. */
  #end = 0;
  #input: string | undefined;
  #next = 0;
  /** The number of records. */
  count = 0;

  /** Adds the next record. */
  add(input: string, line: number): void {
    if (input !== this.#input) {
      this.#inputs.push({ input, first: this.count });
      this.#begin(line);
    } else if (line !== this.#next) this.#begin(line);
    this.#input = input;
    this.#next = line + 1;
    this.count++;
  }

  #begin(line: number): void {
    if (this.#end === this.#runs.length) {
      const runs = new Float64Array(2 * this.#end);
      runs.set(this.#runs);
      this.#runs = runs;
    }
    this.#runs[this.#end++] = this.count;
    this.#runs[this.#end++] = line;
  }

  /** Where a record is: `'list.csv', line 3`. */
  of(i: number): string {
    const { input } = this.#inputs.findLast(({ first }) => first <= i) as Begun;
    let run = this.#end - 2;
    while ((this.#runs[run] as number) > i) run -= 2;
    const line = (this.#runs[run + 1] as number) + i - (this.#runs[run] as number);
    return `${nameOf(input)}, line ${integer(line)}`;
  }
}

/** The keys and values of a text. */
interface ValuedKeys {
  readonly keys: KeyColumn;
  readonly values: Uint32Array;
}

/** Reads the keys and values of a section, and adds the places of its records. One without a value is left out. */
export function valuedKeys(text: Uint8Array, format: TextFormat, places: Places): ValuedKeys {
  const { value, input } = format;
  // Both count lines on their own.
  const { keys, invalid = [] } = keyedIn(text, { ...format, input: { ...input } });
  const place: ValuePlace = value ?? { fields: [], members: [] };
  const inValues = { ...format, ...place, trim: true, ignoreCase: false, input: { ...input }, tally: newTally() };
  const texts = keysOf(text, inValues) as KeyColumn;
  const others = new Set(invalid);
  const left = new Set<number>();
  const values = new Uint32Array(texts.length);
  let line = input.lines + 1;
  for (let [at, record, i] = [0, 0, 0]; at < text.length; record++) {
    if (i < texts.length && !others.has(record)) {
      const number = valueIn(texts, i);
      if (Number.isNaN(number)) {
        const reason = `has the value ${quote(textOf(texts, i))}, which is not a whole number from 0 to ${LARGEST_VALUE}`;
        leaveOut(format, { input: input.name, line, reason });
        left.add(i);
      } else {
        values[i - left.size] = number;
        places.add(input.name, line);
      }
      i++;
    }
    const end = endOfRecord(text, at, format);
    line += linesIn(text, at, end, format);
    at = end;
  }
  input.lines = line - 1;
  return { keys: without(keys as KeyColumn, left), values: values.subarray(0, texts.length - left.size) };
}
