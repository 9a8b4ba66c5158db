// Shared by add and build.

import { tmpdir } from 'node:os';
import { FilterFullError, type KeyColumn } from 'bloomery';
import type { BuiltOnDisk, DiskOptions, KeySink, MapBuiltOnDisk } from 'bloomery/disk';
import type { HashedKeys } from 'bloomery/hash';
import { CommandError, cannot } from '../errors.ts';
import { memoryError } from '../filters/exact.ts';
import type { Saved, WriteFilter } from '../filters/filter-file.ts';
import {
  type AnyFilter,
  type DiskClass,
  type GrowingFilter,
  isSet,
  makeFilterOf,
  sizeOf,
  traitsOf,
  type Wanted,
  type WholeClass,
} from '../filters/kinds.ts';
import { integer, plural } from '../numbers.ts';
import type { InputSection } from '../text/cut.ts';
import { recordNoun, requireValid, type TextFormat } from '../text/format.ts';
import type { Inputs } from '../text/input.ts';
import { KeyWriter } from '../text/key-writer.ts';
import { type Part, readParts } from '../text/parts.ts';
import { showStep, withProgress } from '../text/progress.ts';
import { areLines, countRecords, keysOf, type TextKeys } from '../text/records.ts';
import { collect, join, readSections, unmarked } from '../text/sections.ts';
import { warnOfRecords } from '../text/warnings.ts';
import { ONE_THREAD, type Threads } from '../threads/count.ts';

/**
 * @param before the number of records before these; all headers together count as one
 * @throws CommandError if the filter is full
 */
function addKeys(filter: GrowingFilter, keys: TextKeys, format: TextFormat, before: number): void {
  try {
    filter.addMany(keys);
  } catch (error) {
    if (!(error instanceof FilterFullError)) throw error;
    if (isSet(filter)) throw memoryError(filter, 'build a filter of another kind, which errs', error);
    if (!traitsOf(filter).canBeFull) throw error;
    const { code, reason, position } = error;
    const hint =
      code === 'COPIES' ? 'leave out repeated lines, with bloomery dedupe' : 'build one with a larger --capacity';
    const noun = recordNoun(format);
    // Records that were left out are not among the keys, so the number would be wrong.
    const record = format.tally.invalid > 0 ? `a ${noun}` : `${noun} ${integer(before + position + 1)}`;
    throw new CommandError(`${record} does not fit: ${reason}; ${hint}`, { cause: error });
  }
}

/**
 * Adds all lines of the inputs to a filter that will be saved as `output`. Returns that filter, or one with the same
 * cells instead of it.
 */
export async function addLines(
  filter: GrowingFilter,
  inputs: Inputs,
  format: TextFormat,
  output: string,
  threads: Threads = ONE_THREAD,
): Promise<GrowingFilter> {
  if (threads.count > 1) {
    // Loaded only now, because one thread does not need it.
    const { canBeFilledBy, fillInThreads } = await import('../threads/fill.ts');
    if (canBeFilledBy(threads.count, filter)) {
      const parts = readParts(inputs, format, threads.after);
      const watched = withProgress(parts, inputs, format, output === '-');
      const filled = await fillInThreads(filter, watched, format, threads);
      warnOfRecords(format);
      return filled;
    }
  }
  const sections = withProgress(readSections(inputs, format), inputs, format, output === '-');
  let before = format.header ? 1 : 0;
  for await (const { bytes, format: own } of sections) {
    addKeys(filter, keysOf(bytes, own), format, before);
    requireValid(format);
    if (traitsOf(filter).canBeFull) before += countRecords(bytes, format);
  }
  warnOfRecords(format);
  return filter;
}

/** How the keys of a text are read. */
interface Reading {
  /** How many threads hash the keys. */
  readonly threads: Threads;
  readonly seed: number;
  /** Whether stdout gets something meanwhile. */
  readonly writesLines: boolean;
}

/** Passes on the keys of all inputs: as they are, or hashed by other threads. */
export async function passKeys(
  inputs: Inputs,
  format: TextFormat,
  { threads, seed, writesLines }: Reading,
  add: (keys: TextKeys | HashedKeys) => void,
): Promise<void> {
  const watched = <P extends Part>(parts: AsyncGenerator<P>): AsyncGenerator<P> =>
    withProgress(parts, inputs, format, writesLines);
  if (threads.count > 1) {
    // Loaded only now, because one thread does not need it.
    const { hashInThreads } = await import('../threads/hash.ts');
    await hashInThreads(watched(readParts(inputs, format, threads.after)), format, threads, seed, add);
  } else {
    for await (const { bytes, format: own } of watched(readSections(inputs, format))) {
      add(keysOf(bytes, own));
      requireValid(format);
    }
  }
  warnOfRecords(format);
}

/** How many threads hash lines, and how many build shards then. */
interface DiskThreads {
  readonly hashing: Threads;
  readonly building: number;
}

/** Where what is built in a temporary file goes, and how it tells of its progress. */
type Building = Required<Pick<DiskOptions, 'onProgress'>> & {
  save(chunks: Iterable<Uint8Array>): Promise<void>;
};

/**
 * Builds something in a temporary file, and writes it.
 *
 * @throws CommandError if the temporary file cannot be written
 */
export async function throughDisk(
  write: WriteFilter,
  build: (building: Building) => Promise<BuiltOnDisk | MapBuiltOnDisk>,
): Promise<Saved> {
  try {
    const built = await build({
      save: (chunks) => write({ toChunks: () => chunks }),
      onProgress({ built, shards }) {
        if (shards > 0) showStep(`${built} of ${plural(shards, 'shard')} built`);
      },
    });
    return { ...built, estimateCount: () => built.capacity, estimateErrorRate: () => built.errorRate };
  } catch (error) {
    if (error instanceof CommandError || (error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw cannot('write a temporary file in', tmpdir(), error);
  } finally {
    showStep('');
  }
}

/**
 * Builds a filter of all lines of the inputs in a temporary file, and writes it to `output`.
 *
 * @throws CommandError if this kind cannot have that error rate, or if the temporary file cannot be written
 */
export async function buildAndWrite(
  Class: DiskClass,
  inputs: Inputs,
  format: TextFormat,
  output: string,
  wanted: Omit<Wanted, 'capacity'>,
  write: WriteFilter,
  { hashing, building: threads }: DiskThreads,
): Promise<Saved> {
  // Refuses an error rate before anything is read.
  sizeOf(Class, { ...wanted, capacity: 1 });
  // Loaded only now, because other kinds do not need it.
  const { buildOnDisk } = await import('bloomery/disk');
  const fill = (keys: KeySink): Promise<void> =>
    passKeys(inputs, format, { threads: hashing, seed: wanted.seed ?? 0, writesLines: output === '-' }, (some) =>
      keys.addMany(some),
    );
  return throughDisk(write, ({ save, onProgress }) =>
    buildOnDisk(Class, fill, save, { ...wanted, threads, onProgress }),
  );
}

/** The keys of all sections at once. */
async function allKeys(sections: AsyncIterable<InputSection>, format: TextFormat, inputs: Inputs): Promise<TextKeys> {
  // Two bytes may come between two files: see `join`.
  const expected = (inputs.size ?? 0) + 2 * inputs.names.length;
  // Lines need no memory beside their text. Other keys may be few bytes of it, and in each file in other fields.
  if (areLines(format)) return keysOf(await collect(join(unmarked(sections), format), expected), format);
  const keys = new KeyWriter(0);
  for await (const { bytes, format: own } of sections) {
    keys.append(keysOf(bytes, own) as KeyColumn);
    requireValid(format);
  }
  return keys.toColumn();
}

/** Makes a filter of all lines of the inputs at once, which keeps them in memory, and will be saved as `output`. */
export async function filterOf(
  Class: WholeClass,
  inputs: Inputs,
  format: TextFormat,
  output: string,
  wanted: Omit<Wanted, 'capacity'>,
): Promise<AnyFilter> {
  const sections = withProgress(readSections(inputs, format), inputs, format, output === '-');
  const filter = makeFilterOf(Class, await allKeys(sections, format, inputs), wanted);
  warnOfRecords(format);
  return filter;
}
