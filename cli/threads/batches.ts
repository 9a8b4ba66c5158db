// Passes a text to other threads in batches, and gets the results in the order of the text.

import type { Piece } from '../text/pieces.ts';

/** The bytes of whole lines that a thread gets at a time, except for a longer line. */
const BATCH_BYTES = 2 ** 20;
/** So many batches for each thread are under way: while it works on one, the next one waits. */
const BATCHES_PER_THREAD = 2;

/** Whole lines in memory that threads share. */
export interface Batch {
  /** The byte order mark before the lines, if there is one. */
  readonly mark: Uint8Array;
  readonly memory: SharedArrayBuffer;
  readonly length: number;
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

/** Gathers pieces, as many as fit, and keeps the memory of batches for later ones. */
class Gatherer {
  readonly #separator: number;
  readonly #spare: SharedArrayBuffer[] = [];
  #batch: Batch | undefined;

  constructor(separator: number) {
    this.#separator = separator;
  }

  get isEmpty(): boolean {
    return this.#batch === undefined;
  }

  /** Adds a piece. Returns whether it could: only what a thread may read as one text goes into one batch. */
  add({ mark, bytes }: Piece): boolean {
    const { length: size } = bytes;
    if (this.#batch === undefined) {
      const spare = size <= BATCH_BYTES ? this.#spare.pop() : undefined;
      this.#batch = { mark, memory: spare ?? new SharedArrayBuffer(Math.max(size, BATCH_BYTES)), length: 0 };
    } else if (mark.length > 0 || !this.#isOpen(this.#batch, size)) {
      return false;
    }
    const { memory, length } = this.#batch;
    new Uint8Array(memory).set(bytes, length);
    this.#batch = { ...this.#batch, length: length + size };
    return true;
  }

  #isOpen({ mark, memory, length }: Batch, size: number): boolean {
    if (mark.length > 0 || length + size > memory.byteLength) return false;
    return new Uint8Array(memory)[length - 1] === this.#separator;
  }

  take(): Batch | undefined {
    const batch = this.#batch;
    this.#batch = undefined;
    return batch;
  }

  recycle({ memory }: Batch): void {
    if (memory.byteLength === BATCH_BYTES) this.#spare.push(memory);
  }
}

/**
 * Copies a text into batches, has them worked on, and yields the results in order. A batch is not held back for more text
 * while a thread has nothing to do. Its memory is used again when the next result is asked for.
 *
 * @param work begins to work on a batch in another thread
 */
export async function* inBatches<T>(
  pieces: AsyncGenerator<Piece>,
  separator: number,
  threads: number,
  work: (batch: Batch) => Promise<T>,
): AsyncGenerator<Done<T>, void, undefined> {
  const gatherer = new Gatherer(separator);
  const jobs: Job<T>[] = [];
  let next: IteratorResult<Piece> | undefined;
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
    follow(pieces.next(), (result) => {
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
        gatherer.recycle(first.batch);
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
    if (!isReading) await pieces.return(undefined);
  }
}
