// Shared by pick, omit and dedupe: lines come in, and some of them go out.

import { type Filter, KeyLines, type ManyKeys, type Picked } from 'bloomery';
import { type InputSection, type Section, slicesOf } from './cut.ts';
import { endOfRecord, requireValid, type TextFormat } from './format.ts';
import { keyedIn, type TextKeys } from './records.ts';
import { warnOfRecords } from './warnings.ts';

/** The exit code of grep if no line was selected. */
const NOTHING_SELECTED = 1;
/** Longer texts, which are single lines, are passed on as they are. */
const MOST_BYTES = 2 ** 20;

/**
 * Selects some of the keys. Returns the selected lines, or a flag for each key: 1 if it is selected, else 0. If none is,
 * there may be no flags.
 */
export type Select = (keys: TextKeys) => KeyLines | Uint8Array;

/** What answers whether it may have keys. */
export type Answering = Pick<Filter, 'hasMany' | 'pick' | 'omit'>;

/** The flags of the keys that a method of a filter selects, by those of the keys that the filter may have. */
export function flagsFor<B extends ArrayBufferLike>(
  verb: 'pick' | 'omit',
  present: Uint8Array<B>,
): Uint8Array<B | ArrayBuffer> {
  return verb === 'pick' ? present : present.map((flag) => 1 - flag);
}

/** Selects the keys that a method of a filter selects. */
export function selectBy(filter: Answering, verb: 'pick' | 'omit'): Select {
  return (keys) => (keys instanceof KeyLines ? filter[verb](keys) : flagsFor(verb, filter.hasMany(keys)));
}

/**
 * Moves the lines whose flag is 1 to the beginning of a memory. Returns how many bytes they have.
 *
 * @param from where the text begins in the memory, which ends with it
 */
export function moveFlagged(
  memory: Uint8Array<ArrayBuffer>,
  from: number,
  format: TextFormat,
  flags: Uint8Array,
): number {
  // Often so, and for a very long line always.
  if (!flags.includes(1)) return 0;
  // A method of Buffer finds a byte several times as fast.
  const bytes = Buffer.from(memory.buffer, memory.byteOffset, memory.length);
  let length = 0;
  // Lines are moved together if they are all selected.
  let [start, isSelected] = [from, 0];
  const endRun = (end: number): void => {
    if (isSelected) {
      memory.copyWithin(length, start, end);
      length += end - start;
    }
    start = end;
  };
  for (let [line, at] = [0, from]; at < memory.length; line++) {
    if (flags[line] !== isSelected) {
      endRun(at);
      isSelected = flags[line] as number;
    }
    at = endOfRecord(bytes, at, format);
  }
  endRun(memory.length);
  return length;
}

/** The lines whose flag is 1. */
function flaggedLines(text: Uint8Array, format: TextFormat, flags: Uint8Array): Uint8Array {
  if (flags.length > 0 && !flags.includes(0)) return text;
  const copy = new Uint8Array(text);
  return copy.subarray(0, moveFlagged(copy, 0, format, flags));
}

/** The lines of a text whose keys are selected. */
export function selectIn(text: Uint8Array, format: TextFormat, select: Select): Uint8Array {
  const { text: valid, keys } = keyedIn(text, format);
  const selected = select(keys);
  return selected instanceof Uint8Array ? flaggedLines(valid, format, selected) : selected.bytes;
}

/**
 * Gathers the selected lines of a text, so that they are written at once. Returns how many bytes they have.
 *
 * @param memory where to put them, as long as the text; it may be the text itself
 */
export function selectInto(memory: Uint8Array, text: Uint8Array, format: TextFormat, select: Select): number {
  let length = 0;
  for (const slice of slicesOf(text, format)) {
    const some = selectIn(slice, format, select);
    memory.set(some, length);
    length += some.length;
    if (format.tally.firstInvalid && !format.skipsInvalid) break;
  }
  return length;
}

/**
 * The lines of a text whose keys are selected. A section is valid until the next one is asked for.
 *
 * @throws CommandError if a record is invalid, after the lines before it
 */
export async function* selectLines(sections: AsyncIterable<InputSection>, select: Select): AsyncGenerator<Section> {
  let memory = new Uint8Array(0);
  for await (const { mark, bytes, format } of sections) {
    let selected: Uint8Array;
    if (bytes.length > MOST_BYTES) {
      selected = selectIn(bytes, format, select);
    } else {
      if (bytes.length > memory.length) memory = new Uint8Array(bytes.length);
      selected = memory.subarray(0, selectInto(memory, bytes, format, select));
    }
    if (selected.length > 0) yield { mark, bytes: selected };
    requireValid(format);
  }
}

/** What answers like a filter, and may do so later. */
export interface AnsweringLater {
  hasMany(keys: TextKeys | readonly string[]): Uint8Array | Promise<Uint8Array>;
  pick<K>(keys: ManyKeys<K>): Picked<K> | Promise<Picked<K>>;
  omit<K>(keys: ManyKeys<K>): Picked<K> | Promise<Picked<K>>;
  close?(): Promise<void>;
}

/** As `selectLines`, with a filter that may answer later, which is closed in the end. */
export async function* selectLater(
  sections: AsyncIterable<InputSection>,
  filter: AnsweringLater,
  verb: 'pick' | 'omit',
): AsyncGenerator<Section> {
  try {
    for await (const { mark, bytes: read, format } of sections) {
      const { text, keys } = keyedIn(read, format);
      let bytes: Uint8Array;
      if (keys instanceof KeyLines) {
        ({ bytes } = await filter[verb](keys));
      } else {
        bytes = flaggedLines(text, format, flagsFor(verb, await filter.hasMany(keys)));
      }
      if (bytes.length > 0) yield { mark, bytes };
      requireValid(format);
    }
  } finally {
    await filter.close?.();
  }
}

/**
 * Sets the exit code when the last of the selected lines has been read, and warns of what was found in them.
 *
 * @param allowsNone whether it is a success if no line is selected
 */
export async function* untilEnd(
  selected: AsyncIterable<Section>,
  format: TextFormat,
  allowsNone: boolean,
): AsyncGenerator<Section> {
  let isEmpty = true;
  for await (const section of selected) {
    isEmpty = false;
    yield section;
  }
  warnOfRecords(format);
  if (isEmpty && !allowsNone) process.exitCode ??= NOTHING_SELECTED;
}
