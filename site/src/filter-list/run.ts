// Runs a job: makes or loads a filter, and passes a text through it.

import { KeyLines, type LineProgress } from 'bloomery';
import type { TextFormat } from '../../../cli/text/format.ts';
import type { TextKeys } from '../../../cli/text/records.ts';
import { type Engine, expectedRateOf, makeFilter, makeSet } from '../engine.ts';
import { plural } from '../format.ts';
import { hintFor } from './hints.ts';
import { explained } from './input-error.ts';
import { type Input, isExact, type Job, type Progress, type Result, type Source } from './job.ts';
import { openOutput } from './output.ts';
import { asLines, formatFor } from './reading.ts';
import { type Passing, passRecords, type Select } from './records.ts';
import { type Memory, withRoom } from './room.ts';
import { type AnyFilter, factsOf, openFilter } from './saved-filter.ts';
import { openText, type TextFile } from './text-file.ts';

/** Callbacks of a running job. */
interface Watcher {
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
  onPreview(lines: readonly string[]): void;
}

/** The error rate of the filter that takes the place of a set which became too large. */
const RATE_BEYOND = 1e-6;
const BEYOND = 'These are more different lines than this page keeps exactly on this device, so a filter took over.';

const NOTHING: LineProgress = { bytes: 0, lines: 0, kept: 0 };

/** Runs a function, and adds to its error which input the error is about. */
async function about<T>(source: Source, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw explained(error, source);
  }
}

/** More steps would not change the digits that are shown. */
const STEPS = 500;

/**
 * The number of lines that are expected to be lost while a filter takes `added` keys. The first lines meet an empty
 * filter, so this is far less than the final error rate suggests.
 *
 * @param rateAt the expected error rate, by the number of keys
 */
export function expectedLosses(added: number, rateAt: (count: number) => number): number {
  const steps = Math.min(added, STEPS);
  let lost = 0;
  for (let i = 0; i < steps; i++) {
    const rate = Math.min(rateAt(Math.floor(((i + 0.5) * added) / steps)), 0.999_999);
    // The lines that look present, for each line that looks absent and is added.
    lost += rate / (1 - rate);
  }
  return steps === 0 ? 0 : (lost * added) / steps;
}

/** What is kept, by what a filter answers. */
const selections = {
  keep: (filter: AnyFilter) => (keys: TextKeys) =>
    keys instanceof KeyLines ? filter.pick(keys) : filter.hasMany(keys),
  drop: (filter: AnyFilter) => (keys: TextKeys) =>
    keys instanceof KeyLines ? filter.omit(keys) : filter.hasMany(keys).map((flag) => 1 - flag),
};

function onceIn(memory: Memory): Select {
  return (keys) => {
    if (keys instanceof KeyLines) return memory.dedupe(keys);
    const flags = new Uint8Array(keys.length);
    memory.addMany(keys, flags);
    return flags;
  };
}

/** An attempt at reading a text, as `withRoom` makes it. */
interface Attempt {
  readonly watch: (progress: LineProgress) => void;
  readonly isAgain: boolean;
}

/** A text that was opened, with its format. */
interface Opened {
  readonly text: TextFile;
  readonly format: TextFormat;
}

/**
 * Runs a job. Returns the filter too, so that it can be saved later.
 *
 * @throws InputError if an input is not a list or a filter; the reason of the signal if it is aborted
 */
export async function runJob(
  engine: Engine,
  job: Job,
  { signal, onProgress, onPreview }: Watcher,
): Promise<{ result: Result; filter: AnyFilter }> {
  const begun = performance.now();
  const { mode, list, errorRate, destination } = job;
  /** What was read of the list, and of the text. */
  const done = { build: NOTHING, filter: NOTHING };
  /** The size of the list, as far as it is known, and its beginning: a saved filter has neither. */
  let listSize = list?.reading ? list.file.size : 0;
  let listStart: Uint8Array | undefined;
  /** How many records lacked one of the columns. */
  let lacking = 0;

  const open = (source: Source, { file, reading = asLines }: Input): Promise<Opened> =>
    about(source, async () => ({
      text: await openText(file, source, reading.encoding),
      format: formatFor(reading, job),
    }));
  const given = await open('text', job.text);

  /** Passes an opened text on, and reports how far that is. */
  async function pass(
    what: 'build' | 'filter',
    { text, format }: Opened,
    select: Select,
    { watch, isAgain, write }: Partial<Attempt> & Pick<Passing, 'write'>,
  ): Promise<void> {
    const report = (progress: LineProgress): void => {
      done[what] = progress;
      const { build, filter } = done;
      const bytes = build.bytes + filter.bytes;
      // The size of a packed text is estimated.
      const totalBytes = Math.max(given.text.size + listSize, bytes);
      const lines = build.lines + filter.lines;
      const phase = isAgain ? 'again' : what;
      onProgress({ phase, bytes, totalBytes, lines, read: filter.lines, kept: filter.kept });
      watch?.(progress);
    };
    lacking += await passRecords(text, format, select, { onProgress: report, signal, ...(write && { write }) });
  }

  /** Passes the text to the output. */
  async function filtered(select: Select, attempt: Partial<Attempt> = {}): Promise<Blob | undefined> {
    const { write, close, abort } = await openOutput(destination, onPreview);
    try {
      await pass('filter', given, select, { ...attempt, write });
      return await close();
    } catch (error) {
      await abort().catch(() => {});
      throw error;
    }
  }

  /** Reads a text into a set or a filter, as `withRoom` does. */
  const remember = <T>(text: TextFile, run: (memory: Memory, attempt: Attempt) => Promise<T>): Promise<T> => {
    const make = (capacity: number | undefined): Promise<Memory> =>
      capacity === undefined ? makeSet(engine) : makeFilter(engine, capacity, errorRate || RATE_BEYOND);
    return withRoom(text, errorRate === 0, make, (memory, watch, isAgain) => run(memory, { watch, isAgain }));
  };

  async function build(input: Input): Promise<Memory> {
    const opened = await open('list', input);
    listStart = opened.text.start;
    listSize = opened.text.size;
    return about('list', () =>
      remember(opened.text, async (memory, attempt) => {
        await pass('build', opened, (keys) => void memory.addMany(keys), attempt);
        return memory;
      }),
    );
  }

  async function selected(input: Input) {
    const filter = input.reading ? await build(input) : await about('list', () => openFilter(engine, input.file));
    try {
      return { filter, blob: await filtered(selections[mode === 'keep' ? mode : 'drop'](filter)) };
    } catch (error) {
      filter.dispose();
      throw error;
    }
  }

  const once = () =>
    remember(given.text, async (filter, attempt) => ({ filter, blob: await filtered(onceIn(filter), attempt) }));

  const { filter, blob } = await about('text', async () => (list === undefined ? once() : selected(list)));
  // At least 1 ms, because the clocks of browsers have steps of up to that, and more where readers are protected.
  const seconds = Math.max(performance.now() - begun, 1) / 1000;
  const { lines: read, kept } = done.filter;
  const facts = factsOf(filter, engine);
  const lost = mode === 'once' ? expectedLosses(kept, await expectedRateOf(engine, filter)) : 0;
  const isBeyond = errorRate === 0 && !(list && !list.reading) && !isExact(facts);
  const found = mode === 'keep' ? kept : read - kept;
  const guess = read > 0 ? hintFor(job, found, given.text.start, listStart) : '';
  const lack = lacking > 0 ? `${plural(lacking, 'record')} had no such column.` : '';
  const hint = [isBeyond ? BEYOND : '', lack, guess].join(' ').trim() || undefined;
  return { result: { read, kept, added: done.build.lines, seconds, lost, hint, filter: facts, blob }, filter };
}
