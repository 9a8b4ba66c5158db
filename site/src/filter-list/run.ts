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
import { passRecords, type Select } from './records.ts';
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

/** What remembers lines, and the lines that were kept. */
interface Passed {
  readonly filter: AnyFilter;
  readonly blob: Blob | undefined;
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

/** A text that was opened, with its format. */
interface Opened {
  readonly text: TextFile;
  readonly format: TextFormat;
}

class Run {
  readonly #engine: Engine;
  readonly #job: Job;
  readonly #watcher: Watcher;
  #totalBytes = 0;
  #listStart: Uint8Array | undefined;
  /** How many records lacked one of the columns. */
  #lacking = 0;
  #built: LineProgress = NOTHING;
  #filtered: LineProgress = NOTHING;

  constructor(engine: Engine, job: Job, watcher: Watcher) {
    this.#engine = engine;
    this.#job = job;
    this.#watcher = watcher;
  }

  /** Returns the filter too, so that it can be saved later. */
  async run(): Promise<{ result: Result; filter: AnyFilter }> {
    const begun = performance.now();
    const { mode, text, list, errorRate } = this.#job;
    const opened = await this.#open('text', text);
    this.#totalBytes = opened.text.size + (list?.reading ? list.file.size : 0);
    const { filter, blob } = await about('text', () =>
      list === undefined ? this.#once(opened) : this.#select(opened, list),
    );
    const seconds = (performance.now() - begun) / 1000;
    const { lines: read, kept } = this.#filtered;
    const facts = factsOf(filter, this.#engine);
    const lost = mode === 'once' ? expectedLosses(kept, await expectedRateOf(this.#engine, filter)) : 0;
    const isBeyond = errorRate === 0 && !(list && !list.reading) && !isExact(facts);
    const found = mode === 'keep' ? kept : read - kept;
    const guess = read > 0 ? hintFor(this.#job, found, opened.text.start, this.#listStart) : '';
    const lacking = this.#lacking > 0 ? `${plural(this.#lacking, 'record')} had no such column.` : '';
    const hint = [isBeyond ? BEYOND : '', lacking, guess].join(' ').trim() || undefined;
    return { result: { read, kept, added: this.#built.lines, seconds, lost, hint, filter: facts, blob }, filter };
  }

  #open(source: Source, { file, reading = asLines }: Input): Promise<Opened> {
    return about(source, async () => ({
      text: await openText(file, source, reading.encoding),
      format: formatFor(reading, this.#job),
    }));
  }

  #report(phase: Progress['phase']): void {
    const { bytes: filtered, lines, kept } = this.#filtered;
    const bytes = this.#built.bytes + filtered;
    this.#watcher.onProgress({
      phase,
      bytes,
      // The size of a packed text is estimated.
      totalBytes: Math.max(this.#totalBytes, bytes),
      lines: this.#built.lines + lines,
      read: lines,
      kept,
    });
  }

  /** Reads a text into a set or a filter, as `withRoom` does. */
  #remember<T>(
    text: TextFile,
    attempt: (filter: Memory, watch: (progress: LineProgress) => void, isAgain: boolean) => Promise<T>,
  ): Promise<T> {
    const { errorRate } = this.#job;
    const make = (capacity: number | undefined): Promise<Memory> =>
      capacity === undefined ? makeSet(this.#engine) : makeFilter(this.#engine, capacity, errorRate || RATE_BEYOND);
    return withRoom(text, errorRate === 0, make, attempt);
  }

  async #build(list: Input): Promise<Memory> {
    const opened = await this.#open('list', list);
    const { text } = opened;
    this.#listStart = text.start;
    this.#totalBytes += text.size - list.file.size;
    return about('list', () =>
      this.#remember(text, async (filter, watch, isAgain) => {
        const onProgress = (progress: LineProgress): void => {
          this.#built = progress;
          this.#report(isAgain ? 'again' : 'build');
          watch(progress);
        };
        const add: Select = (keys) => void filter.addMany(keys);
        this.#lacking = await passRecords(text, opened.format, add, { onProgress, signal: this.#watcher.signal });
        return filter;
      }),
    );
  }

  async #select(text: Opened, list: Input): Promise<Passed> {
    const { mode } = this.#job;
    const filter = list.reading
      ? await this.#build(list)
      : await about('list', () => openFilter(this.#engine, list.file));
    try {
      return { filter, blob: await this.#pass(text, selections[mode === 'keep' ? mode : 'drop'](filter)) };
    } catch (error) {
      filter.dispose();
      throw error;
    }
  }

  #once(text: Opened): Promise<Passed> {
    return this.#remember(text.text, async (filter, watch, isAgain) => {
      return { filter, blob: await this.#pass(text, onceIn(filter), watch, isAgain) };
    });
  }

  /** Passes a text to the output. */
  async #pass(
    { text, format }: Opened,
    select: Select,
    watch: (progress: LineProgress) => void = () => {},
    isAgain = false,
  ): Promise<Blob | undefined> {
    const { signal } = this.#watcher;
    const output = await openOutput(this.#job.destination, (lines) => this.#watcher.onPreview(lines));
    const onProgress = (progress: LineProgress): void => {
      this.#filtered = progress;
      this.#report(isAgain ? 'again' : 'filter');
      watch(progress);
    };
    try {
      const write = (bytes: Uint8Array<ArrayBuffer>): Promise<void> => output.write(bytes);
      this.#lacking += await passRecords(text, format, select, { onProgress, signal, write });
      return await output.close();
    } catch (error) {
      await output.abort().catch(() => {});
      throw error;
    }
  }
}

/**
 * Runs a job.
 *
 * @throws InputError if an input is not a list or a filter; the reason of the signal if it is aborted
 */
export async function runJob(
  engine: Engine,
  job: Job,
  watcher: Watcher,
): Promise<{ result: Result; filter: AnyFilter }> {
  return new Run(engine, job, watcher).run();
}
