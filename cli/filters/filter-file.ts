import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { SavedFilterError } from 'bloomery';
import { loadAny } from 'bloomery/load';
import { CommandError, nameOf, quote, say, tell } from '../errors.ts';
import { byteSize, integer, plural, rate } from '../numbers.ts';
import { peek, rawChunks, startsWith } from '../text/input.ts';
import { formatOfName, unzip } from '../text/unzip.ts';
import { mayBeForeign, readForeign } from './foreign.ts';
import {
  type AnyFilter,
  type GrowingFilter,
  hasLabels,
  hasValues,
  isEndless,
  isExact,
  keepsCapacity,
  type ReadableClass,
  readableClasses,
  takesKeys,
} from './kinds.ts';
import { writerTo } from './output.ts';

const MAGIC = Buffer.from('BLMY');

/** In so many bytes, JSON tells from which package it is. */
const HEAD_BYTES = 4096;

/** The function that reads JSON of another package, which begins so; undefined if it is something else. */
function readerOf(head: string): string | undefined {
  const packages = {
    fromBloomFilters: /^\s*\{.*"type"\s*:\s*"(?:Counting|Partitioned)?BloomFilter"/s,
    fromBloomfilter: /^\s*(?:\{.*"buckets"\s*:\s*)?\[\s*-?\d+\s*[,\]]/s,
  };
  return Object.entries(packages).find(([, begins]) => begins.test(head))?.[0];
}

/** A filter and its file. */
export interface Loaded {
  readonly filter: AnyFilter;
  /** The size of the file. */
  readonly bytes: number;
  readonly isZipped: boolean;
}

/** What is wrong with the secret of a file, or with that of the command if it has one. */
function secretRefusal({ reason }: SavedFilterError, hasSecret: boolean): string {
  if (!hasSecret)
    return 'was made under a secret: --secret-file is missing, which build, add, has, get, pick, omit, info and merge take';
  // Without the library's hint.
  return `does not fit --secret-file: ${reason.replace(/: .*/, '')}`;
}

/** Says why the library refused a file, without its names for arguments and classes. */
export function refusal(name: string, error: unknown, hasSecret: boolean): CommandError {
  const because = (text: string): CommandError => new CommandError(`${nameOf(name)} ${text}`, { cause: error });
  if (!(error instanceof SavedFilterError)) return because(`cannot be loaded: ${(error as Error).message}`);
  if (error.code === 'SECRET') return because(secretRefusal(error, hasSecret));
  return because(
    error.code === 'VERSION'
      ? 'is a filter that this version of bloomery cannot read: a later one may'
      : `is damaged: ${error.reason}`,
  );
}

/**
 * Loads a filter of any kind in chunks, compressed or not.
 *
 * @param classes the classes of all kinds, which may have a secret
 * @param format the name of another system's format; undefined for any format
 * @param hint what to do with a text
 * @throws CommandError if the file does not exist or does not contain an undamaged filter under the secret of the classes
 */
export async function loadFilter(
  name: string,
  classes: readonly ReadableClass[] = readableClasses,
  format?: string,
  hint = 'bloomery build makes one from a text',
): Promise<Loaded> {
  let bytes = 0;
  const contents = await unzip(
    name,
    rawChunks(name, (read) => {
      bytes += read;
    }),
  );
  const { head, chunks } = await peek(contents.chunks, [MAGIC]);
  const isOwn = startsWith(head, MAGIC);
  if (format !== undefined || (!isOwn && mayBeForeign(head))) {
    const filter = await readForeign(name, chunks, format);
    if (classes !== readableClasses) {
      throw new CommandError(
        `${nameOf(name)} is in the format of another system, which has no secret: omit --secret-file`,
      );
    }
    return { filter, bytes, isZipped: contents.isZipped };
  }
  if (!isOwn) {
    await contents.chunks.return();
    const reader = readerOf(head.toString('latin1', 0, HEAD_BYTES));
    const what = reader
      ? `looks like a filter of another package: programs read it with ${reader} of bloomery/migrate`
      : `is not a filter: ${hint}`;
    throw new CommandError(`${nameOf(name)} ${what}`);
  }
  try {
    return { filter: await loadAny(classes, chunks), bytes, isZipped: contents.isZipped };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw refusal(name, error, classes !== readableClasses);
  }
}

/** Why lines cannot be added to a filter. */
function refusalOf(filter: AnyFilter): string {
  if (hasLabels(filter.kind)) return 'whose keys have labels: lines cannot be added to it, but a program can add keys';
  if ('base' in filter) return 'which only programs change: build another of all lines';
  return 'which takes no more keys: build another of all lines';
}

/**
 * Loads a filter to which lines can be added.
 *
 * @throws CommandError for any other, and as `loadFilter` does
 */
export async function loadGrowing(
  name: string,
  classes?: readonly ReadableClass[],
): Promise<Loaded & { readonly filter: GrowingFilter }> {
  const { filter, ...rest } = await loadFilter(name, classes);
  if (takesKeys(filter)) return { filter, ...rest };
  throw new CommandError(`${nameOf(name)} is a ${filter.kind} filter, ${refusalOf(filter)}`);
}

/** Writes a filter, or what else gives the chunks of its file. */
export type WriteFilter = (filter: { toChunks(): Iterable<Uint8Array> }) => Promise<void>;

/**
 * Checks where a filter is to be written, and returns a function that writes it: gzipped, if it was before or its name
 * ends in `.gz`. `-` is stdout.
 *
 * @throws CommandError if the filter cannot be written there
 */
export async function filterWriter(name: string, wasZipped = false): Promise<WriteFilter> {
  if (name === '-' && process.stdout.isTTY) {
    throw new CommandError('a filter is not written to a terminal: choose a file with -o');
  }
  const format = formatOfName(name);
  if (format !== undefined && format !== 'gzip') {
    throw new CommandError(`cannot write ${quote(name)}: a filter is compressed with gzip only`);
  }
  const writer = await writerTo(name);
  const isZipped = wasZipped || format === 'gzip';
  return (filter) => {
    const chunks = filter.toChunks();
    // An error of either stream ends the other.
    return writer.write(
      isZipped ? pipeline(Readable.from(chunks, { objectMode: false }), createGzip(), () => {}) : chunks,
    );
  };
}

/** What tells whether a filter holds too much. */
export type Estimated = Pick<AnyFilter, 'capacity' | 'errorRate' | 'estimateCount' | 'estimateErrorRate'> & {
  readonly kind: string;
  /** The filter that it is made around, if there is one. */
  readonly base?: { readonly kind: string };
};

/** Allows the estimate to exceed the capacity by chance: for small filters, it varies by about √n. */
function isOverfull(estimate: number, capacity: number): boolean {
  return estimate > 1.05 * capacity + 2 * Math.sqrt(capacity);
}

/**
 * Warns in one line if a filter holds more keys than it was made for.
 *
 * @param isLoaded whether it was read, so that of some formats only a guess is known of what it was made for
 */
export function warnIfOverfull(filter: Estimated, isLoaded = true): void {
  const { capacity, errorRate, base = filter } = filter;
  if (isEndless(base) || (isLoaded && !keepsCapacity(filter))) return;
  const estimate = filter.estimateCount();
  // Check the error rate too: a filter for one key has the smallest possible size, with room for more.
  if (!isOverfull(estimate, capacity) || filter.estimateErrorRate() <= errorRate) return;
  const keys = Number.isFinite(estimate) ? `about ${integer(estimate)} keys are` : 'far more keys are';
  const rates = `the error rate is ${rate(filter.estimateErrorRate())}, not ${rate(errorRate)}`;
  say(`warning: ${keys} in a filter made for ${plural(capacity, 'key')}: ${rates}`);
}

/** Loads a filter to look keys up, and warns if it holds too many. */
export async function loadToLookUp(
  name: string,
  classes: readonly ReadableClass[],
  format: string | undefined,
  hint?: string,
): Promise<AnyFilter> {
  const { filter } = await loadFilter(name, classes, format, hint);
  warnIfOverfull(filter);
  return filter;
}

/** What is reported of a filter that was saved. */
export interface Saved extends Estimated {
  readonly byteLength: number;
}

/** Says what was saved, and whether the filter holds too much: see `warnIfOverfull`. */
export function reportSaved(filter: Saved, output: string, isLoaded = true): void {
  warnIfOverfull(filter, isLoaded);
  tell(() => {
    const { kind, byteLength } = filter;
    const name = output === '-' ? 'stdout' : output;
    const count = filter.estimateCount();
    if (isExact(filter)) return `${name}: ${kind}, ${byteSize(byteLength)}, ${plural(count, 'key')}`;
    const made = `${hasValues(filter) ? kind : `${kind} filter`}, ${byteSize(byteLength)}, error rate ${rate(filter.estimateErrorRate())}`;
    const keys = Number.isFinite(count) ? `about ${plural(count, 'key')}` : 'more keys than can be estimated';
    return `${name}: ${made}, ${keys}`;
  });
}
