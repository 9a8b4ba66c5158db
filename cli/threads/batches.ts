// Passes a text to other threads in batches, and gets the results in the order of the text.

import type { TextFormat } from '../text/format.ts';
import { type FileRange, type Part, RANGE_BYTES } from '../text/parts.ts';

/** The bytes of whole lines that a thread gets at a time, except for a longer line: a range and the end of its last line. */
const BATCH_BYTES = RANGE_BYTES + 4096;
/** So many batches for each thread are under way: while it works on one, the next one waits. */
export const BATCHES_PER_THREAD = 2;

/** Whole lines in memory, or a range of a file and memory for its lines. */
export interface Batch {
  /** The byte order mark before the lines, if there is one. */
  readonly mark: Uint8Array;
  /** See `InputSection`. */
  readonly format: TextFormat;
  readonly memory: ArrayBuffer;
  /** The number of bytes in the memory. */
  readonly length: number;
  readonly range: FileRange | undefined;
}

/** What a thread answers: the memory of a batch comes back, or a larger one. */
interface Returned {
  readonly memory: ArrayBuffer;
}

interface Job<T> {
  readonly batch: Batch;
  result?: { readonly value: T };
}

/** What became of a batch. */
export interface Done<T> {
  readonly batch: Batch;
  readonly value: T;
}

/** Gathers sections, as many as fit, or one range, and keeps the memory of batches for later ones. */
class Gatherer {
  readonly #separator: number;
  readonly #spare: ArrayBuffer[] = [];
  #batch: Batch | undefined;

  constructor(separator: number) {
    this.#separator = separator;
  }

  get isEmpty(): boolean {
    return this.#batch === undefined;
  }

  #open({ mark, format }: Part, size: number, range?: FileRange): Batch {
    const spare = size <= BATCH_BYTES ? this.#spare.pop() : undefined;
    return { mark, format, memory: spare ?? new ArrayBuffer(Math.max(size, BATCH_BYTES)), length: 0, range };
  }

  /** Adds a part. Returns whether it could: only what a thread may read as one text goes into one batch. */
  add(part: Part): boolean {
    if (!('bytes' in part)) {
      if (this.#batch !== undefined) return false;
      this.#batch = this.#open(part, BATCH_BYTES, part);
      return true;
    }
    const { mark, format, bytes } = part;
    const { length: size } = bytes;
    if (this.#batch === undefined) {
      this.#batch = this.#open(part, size);
    } else if (mark.length > 0 || format !== this.#batch.format || !this.#isOpen(this.#batch, size)) {
      return false;
    }
    const { memory, length } = this.#batch;
    new Uint8Array(memory).set(bytes, length);
    this.#batch = { ...this.#batch, length: length + size };
    return true;
  }

  #isOpen({ mark, memory, length, range }: Batch, size: number): boolean {
    if (range !== undefined || mark.length > 0 || length + size > memory.byteLength) return false;
    return new Uint8Array(memory)[length - 1] === this.#separator;
  }

  take(): Batch | undefined {
    const batch = this.#batch;
    this.#batch = undefined;
    return batch;
  }

  recycle(memory: ArrayBuffer): void {
    if (memory.byteLength === BATCH_BYTES) this.#spare.push(memory);
  }
}

/**
 * Makes batches of a text, has them worked on, and yields the results in order. A batch is not held back for more text
 * while a thread has nothing to do. Its memory is used again when the next result is asked for.
 *
 * @param work begins to work on a batch in another thread
 */
export async function* inBatches<T extends Returned>(
  parts: AsyncGenerator<Part>,
  separator: number,
  threads: number,
  work: (batch: Batch) => Promise<T>,
): AsyncGenerator<Done<T>, void, undefined> {
  const gatherer = new Gatherer(separator);
  const jobs: Job<T>[] = [];
  let next: IteratorResult<Part> | undefined;
  let isReading = false;
  let failure: { readonly error: unknown } | undefined;
  let wake = (): void => {};

  const follow = <V>(promise: Promise<V>, settle: (value: V) => void): void => {
    promise.then(
      (value) => {
        settle(value);
        wake();
      },
      (error: unknown) => {
        failure ??= { error };
        wake();
      },
    );
  };
  const read = (): void => {
    isReading = true;
    next = undefined;
    follow(parts.next(), (result) => {
      isReading = false;
      next = result;
    });
  };
  const start = (): void => {
    const batch = gatherer.take();
    if (batch === undefined) return;
    const job: Job<T> = { batch };
    jobs.push(job);
    follow(work(batch), (value) => {
      job.result = { value };
    });
  };

  read();
  try {
    for (;;) {
      if (failure) throw failure.error;
      const [first] = jobs;
      if (first?.result) {
        yield { batch: first.batch, value: first.result.value };
        jobs.shift();
        gatherer.recycle(first.result.value.memory);
      } else if (next && !next.done && gatherer.add(next.value)) {
        read();
      } else if (!gatherer.isEmpty && jobs.length < (next ? BATCHES_PER_THREAD : 1) * threads) {
        // What has come next does not fit, or nothing has and a thread is idle.
        start();
      } else if (next?.done && gatherer.isEmpty && jobs.length === 0) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    // After an error, a pipe may never give what it was asked for.
    if (!isReading) await parts.return(undefined);
  }
}
