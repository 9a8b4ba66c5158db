// The command build in several threads, the main one among them: each fills a filter of its own with some of the batches,
// and in the end all are merged. Where that would take too much memory, all fill one filter that they share, which is
// slower.

import { setImmediate } from 'node:timers/promises';
import { loadAny } from 'bloomery/load';
import type { AnySharedFilter, SharedHandle } from 'bloomery/shared';
import { classOf, type GrowingFilter, isExact, type Merging, traitsOf, type Wanted } from '../filters/kinds.ts';
import { requireValid, type TextFormat } from '../text/format.ts';
import { firstOf, type Part, type SpanRead } from '../text/parts.ts';
import { keysOf } from '../text/records.ts';
import { BATCHES_PER_THREAD, type Batch, inBatches } from './batches.ts';
import { type Threads, takesMuch } from './count.ts';
import { Pool, type WorkerThread } from './pool.ts';
import { canBeShared, share } from './shared.ts';
import { addTally, type BatchTally, linesIn, settle, tallied, type Work, workOf } from './work.ts';

/** What the threads are for. */
export interface FillTask {
  readonly name: 'fill';
  readonly format: TextFormat;
  /** The filter that all share, or what each makes for itself. */
  readonly target: { readonly handle: SharedHandle } | { readonly kind: string; readonly wanted: Wanted };
}

/** A batch to add, or, when all have been added, `chunk`, which asks for the next bytes of the saved filter. */
export type FillQuestion = Work | 'chunk';

export interface Filled {
  /** That of the batch. */
  readonly memory: ArrayBuffer;
  readonly read: SpanRead | undefined;
  readonly tally: BatchTally;
}

/** Bytes of the saved filter, if the thread has one of its own and there are more. */
export interface FilterChunk {
  readonly chunk: Uint8Array<ArrayBuffer> | undefined;
}

type FillThread = WorkerThread<FillQuestion, Filled | FilterChunk>;

/**
 * Whether several threads can fill a filter, bit for bit as one would. They cannot if it matters in which order keys
 * are added, as in filters that forget, or which of them is refused; and sets are merged as slowly as they are filled.
 */
export function canBeFilledBy(threads: number, filter: GrowingFilter): boolean {
  const isOrdered = !('merge' in filter) || traitsOf(filter).canBeFull;
  return !isOrdered && !isExact(filter) && (canBeShared(filter) || !takesMuch(filter, threads));
}

/** The saved filter of a thread. While one chunk is read here, the thread makes the next. */
async function* chunksOf(thread: FillThread): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const ask = (): Promise<FilterChunk> => thread.ask('chunk') as Promise<FilterChunk>;
  for (let next = ask(); ; ) {
    const { chunk } = await next;
    if (chunk === undefined) return;
    next = ask();
    yield chunk;
  }
}

/** Merges the filter of a thread into another of the same kind. */
async function merge(filter: GrowingFilter, thread: FillThread): Promise<void> {
  const other = await loadAny([classOf(filter.kind)], chunksOf(thread));
  (filter as object as Merging).merge(other);
  other.dispose();
}

/** Adds all lines of a text to a filter. Returns it, or another one instead, which has the same bits. */
export async function fillInThreads(
  filter: GrowingFilter,
  parts: AsyncGenerator<Part>,
  format: TextFormat,
  { count, after }: Threads,
): Promise<GrowingFilter> {
  for await (const { bytes, format: own } of firstOf(parts, after)) {
    filter.addMany(keysOf(bytes, own));
    requireValid(format);
  }
  let shared: AnySharedFilter | undefined;
  // One filter less to save and to load than if this thread only waited for others.
  const pool = new Pool<FillQuestion, Filled | FilterChunk>(count - 1, (): FillTask => {
    if (takesMuch(filter, count)) {
      shared = share(filter, count);
      filter.dispose();
      return { name: 'fill', format, target: { handle: shared.handle } };
    }
    const { kind, capacity, errorRate, seed } = filter;
    return { name: 'fill', format, target: { kind, wanted: { capacity, errorRate, seed } } };
  });
  try {
    const addHere = async (batch: Batch): Promise<Filled> => {
      const { text, read, format: own } = linesIn(workOf(batch), format);
      const { tally } = tallied(own, (tallying) => (shared ?? filter).addMany(keysOf(text, tallying)));
      // Lets the answers of other threads arrive, which then get their next batches.
      await setImmediate();
      return { memory: text.buffer, read, tally };
    };
    const work = (batch: Batch): Promise<Filled> => {
      const thread = pool.idlest();
      const isBusy = thread.questions === BATCHES_PER_THREAD;
      return isBusy ? addHere(batch) : (thread.ask(workOf(batch), [batch.memory]) as Promise<Filled>);
    };
    for await (const { batch, value } of inBatches(parts, format.separator, count, work)) {
      settle(batch, value.read);
      addTally(batch.format, value.tally);
      requireValid(format);
    }
    if (shared) return shared.toFilter();
    for (const thread of pool.started) await merge(filter, thread);
    return filter;
  } finally {
    pool.end();
  }
}
