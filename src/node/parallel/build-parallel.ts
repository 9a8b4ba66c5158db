import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FilterKind } from '../../format/header.ts';
import { KeyLines } from '../../keys/lines.ts';
import { type LineOptions, readLineOptions } from '../../streams/line-run.ts';
import { sharedClassOf } from '../../threads/shared-classes.ts';
import { requireOptions } from '../../util/checks/options.ts';
import { isUrl, mustBe, requireInteger, SECRETS } from '../../util/checks/validate.ts';
import { LEAST_BYTES, MOST_BYTES, type Text, textOfFiles, textOfLines } from './parts.ts';
import { MOST_THREADS } from './thread.ts';
import { type Answer, classes, inThreads, type ParallelKind, type Target } from './threads.ts';

/** A filter that `buildParallel` can make. */
export interface ParallelFilter {
  readonly kind: ParallelKind;
  readonly capacity: number;
  readonly errorRate: number;
  readonly seed: number;
  readonly byteLength: number;
  merge(other: this): unknown;
  dispose(): void;
}

/**
 * A class whose filters have the same bits in whatever order their keys come: `BloomFilter`, `BlockedBloomFilter`,
 * `CountingBloomFilter` or `WideBlockedBloomFilter`, on either engine.
 */
export interface ParallelClass<F> {
  readonly kind: FilterKind;
  new (options: { capacity: number; errorRate?: number; seed?: number }): F;
}

/** What such classes can also do. Declared apart, because TypeScript could not infer the filter from it. */
interface Loading<F> extends ParallelClass<F> {
  fromBytes(bytes: Uint8Array): F;
}

/** Options of `buildParallel`. */
export interface ParallelOptions {
  /**
   * How many distinct keys the filter is made for. Default: the number of lines, for which the text is read a second
   * time.
   */
  capacity?: number | undefined;
  /** The share of absent keys that may look present. Default: that of the class. */
  errorRate?: number | undefined;
  /** The seed of the hash, 0 … 2^32 − 1. Default: 0. */
  seed?: number | undefined;
  /** Whether `\r\n` ends a line, as `\n` always does. Default: the option that `lines` got; for files, true. */
  crlf?: boolean | undefined;
  /**
   * How many threads to start, 1 … 64. Default: one for each processor, and at most one for each 32 MiB of text. Fewer
   * are started if their filters would take over 512 MiB together and cannot be shared.
   */
  threads?: number | undefined;
  /** Called whenever some MiB have been read. If it throws, the promise rejects with that error. */
  onProgress?: ((progress: ParallelProgress) => void) | undefined;
  /** An abort ends the threads, and rejects the promise with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The progress of `buildParallel`. */
export interface ParallelProgress {
  /** The number of bytes read so far. */
  readonly bytes: number;
  /** The number of bytes to read: twice the size of the text if its lines are counted first. */
  readonly totalBytes: number;
}

function requireClass(Class: unknown): void {
  const { kind } = (Class ?? {}) as { kind?: unknown };
  const isClass = typeof Class === 'function' && typeof kind === 'string';
  if (isClass && classes.some((each) => each.kind === kind)) return;
  const wanted = 'BloomFilter, BlockedBloomFilter, CountingBloomFilter or WideBlockedBloomFilter';
  throw new TypeError(
    isClass ? `Class must be ${wanted}, got a class of ${kind} filters` : mustBe('Class', wanted, Class),
  );
}

function pathOf(path: unknown, i: number): string {
  const name = isUrl(path) ? fileURLToPath(path) : path;
  if (typeof name === 'string' && name !== '') return name;
  throw new TypeError(mustBe(`source[${i}]`, 'the path of a file, as a string or a URL', path));
}

function findText(source: unknown): Text | Promise<Text> {
  if (source instanceof KeyLines) return textOfLines(source);
  if (Array.isArray(source)) return textOfFiles(Array.from(source, pathOf));
  throw new TypeError(mustBe('source', 'an array of paths, or lines(bytes)', source));
}

/**
 * Checks the options, except those of the filter, which its class checks.
 *
 * @param told what `crlf` is by default
 */
function readOptions(options: ParallelOptions, told: boolean | undefined): ParallelOptions & { crlf: boolean } {
  const names = ['capacity', 'errorRate', 'seed', 'crlf', 'threads', 'onProgress', 'signal'];
  const given: ParallelOptions = requireOptions(options, '{ capacity: 1000, errorRate: 0.01 }', names);
  const { threads, onProgress, signal, crlf: chosen } = given;
  if (threads !== undefined) requireInteger('options.threads', threads, 1, MOST_THREADS);
  const { crlf } = readLineOptions({
    crlf: chosen === undefined ? told : chosen,
    onProgress: onProgress as LineOptions['onProgress'],
    signal,
  });
  return { ...given, crlf };
}

/** Merges saved filters. Other tasks run between two of them. */
async function mergeAll<F extends ParallelFilter>(
  Class: Loading<F>,
  [first, ...others]: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): Promise<F> {
  const filter = Class.fromBytes(first as Uint8Array);
  try {
    for (const file of others) {
      await setImmediate();
      signal?.throwIfAborted();
      const other = Class.fromBytes(file);
      try {
        filter.merge(other);
      } finally {
        other.dispose();
      }
    }
  } catch (error) {
    filter.dispose();
    throw error;
  }
  return filter;
}

/**
 * Makes a filter of all lines of files, in several threads: `worker_threads` of Node, Bun or Deno. Each thread reads
 * its own parts of the files, so the event loop stays free until the filters are merged. The filter is the same, byte
 * for byte, as if one thread had made it.
 *
 * ```ts
 * const seen = await buildParallel(BloomFilter, ['urls.txt', 'seen.txt'], { errorRate: 0.001 });
 * ```
 *
 * Each thread fills a filter of its own, and these are merged at the end. If they would take more than 512 MiB, all
 * threads fill one `SharedBloomFilter` or `SharedBlockedBloomFilter`; for other kinds, fewer threads run. A byte order
 * mark of UTF-8 is part of the first line. The files must be regular, text in UTF-8, and not compressed, and must not
 * change meanwhile. The module starts `parallel/worker.js`, which lies beside it, so it must not be bundled.
 *
 * @param Class the class of the filter
 * @param source the paths of the files, or a text in memory as `lines(bytes)`, of which threads get copies unless it is
 *   in a SharedArrayBuffer
 * @returns the filter
 * @throws TypeError | RangeError if an argument or an option is wrong, or a file is gzipped, not regular, or one that does
 *   not tell its size; FilterMemoryError if there is not enough memory; the error of the file system if a file cannot be
 *   read; the reason of the signal if it is aborted. The promise rejects.
 */
export async function buildParallel<F extends ParallelFilter>(
  Class: ParallelClass<F>,
  source: readonly (string | URL)[] | KeyLines,
  options: ParallelOptions = {},
): Promise<F> {
  requireClass(Class);
  const told = source instanceof KeyLines ? source.crlf : undefined;
  const { capacity: given, errorRate, seed, threads: most, onProgress, signal, crlf } = readOptions(options, told);
  const make = (capacity: number): F =>
    new Class({ capacity, ...(errorRate !== undefined && { errorRate }), ...(seed !== undefined && { seed }) });
  // So that wrong options are refused before anything is read.
  const tried = make(given === undefined ? 1 : given);
  tried.dispose();
  // The threads would have to know it.
  if (tried.seed >= SECRETS) throw new TypeError('Class must be without a secret');

  const text = await findText(source);
  const wanted =
    most ?? Math.max(1, Math.min(MOST_THREADS, availableParallelism(), Math.floor(text.bytes / LEAST_BYTES)));
  const totalBytes = given === undefined ? 2 * text.bytes : text.bytes;
  let [bytes, lines] = [0, 0];
  const follow = (answer: Answer): void => {
    bytes += answer.bytes;
    lines += answer.lines;
    onProgress?.({ bytes, totalBytes });
  };
  const readAll = (threads: number, target?: Target): Promise<Uint8Array<ArrayBuffer>[]> =>
    inThreads(threads, { crlf, target }, text.parts(signal), follow, signal);

  if (given === undefined) await readAll(wanted);
  const empty = make(given ?? Math.max(1, lines));
  const { kind, byteLength } = empty;
  const promise = { capacity: empty.capacity, errorRate: empty.errorRate, seed: empty.seed };
  const takesMuch = byteLength * wanted > MOST_BYTES;
  const Shared = takesMuch ? sharedClassOf(kind) : undefined;
  empty.dispose();
  if (Shared) {
    const shared = new Shared({ ...promise, attachments: wanted + 1 });
    let file: Uint8Array;
    try {
      await readAll(wanted, { handle: shared.handle });
      file = shared.toBytes();
    } finally {
      shared.dispose();
    }
    return (Class as Loading<F>).fromBytes(file);
  }
  const threads = takesMuch ? Math.max(1, Math.min(wanted, Math.floor(MOST_BYTES / byteLength))) : wanted;
  return mergeAll(Class as Loading<F>, await readAll(threads, { kind, ...promise }), signal);
}
