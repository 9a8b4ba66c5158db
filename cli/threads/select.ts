// The commands pick and omit in several threads: each selects lines of some batches.

import type { HashedKeys } from 'bloomery/hash';
import type { SharedHandle } from 'bloomery/shared';
import { type AnyFilter, isExact } from '../filters/kinds.ts';
import type { Section } from '../text/cut.ts';
import { requireValid, type TextFormat } from '../text/format.ts';
import { firstOf, type Part, type SpanRead } from '../text/parts.ts';
import { flagsFor, selectBy, selectLines } from '../text/select.ts';
import { type Batch, inBatches } from './batches.ts';
import type { Threads } from './count.ts';
import { dedupeInThreads } from './dedupe.ts';
import { Pool } from './pool.ts';
import { canBeShared, share } from './shared.ts';
import { addTally, type BatchTally, settle, type Work, workOf } from './work.ts';

/** All copies of a filter together, one for each thread, take at most this much memory. */
const MOST_BYTES = 256 * 2 ** 20;

/** A filter that other threads can open: one that all share, or the file of one that each has for itself. */
export type Sent = { readonly handle: SharedHandle } | { readonly file: Uint8Array };

/** What the threads are for. */
export interface SelectTask {
  readonly name: 'select';
  readonly verb: 'pick' | 'omit';
  readonly format: TextFormat;
  readonly filter: Sent;
}

/** What has become of a batch: its memory now begins with the selected lines. */
export interface Selected {
  readonly memory: ArrayBuffer;
  readonly read: SpanRead | undefined;
  readonly length: number;
  readonly tally: BatchTally;
}

/** Whether there is memory for a copy of a filter in each of `threads` threads, if they need copies. */
function fitsThreads(filter: AnyFilter, threads: number): boolean {
  return canBeShared(filter) || filter.byteLength * threads <= MOST_BYTES;
}

function send(filter: AnyFilter, threads: number): Sent {
  return canBeShared(filter) ? { handle: share(filter, threads).handle } : { file: filter.toBytes() };
}

/** Gives the lines of a text whose keys a filter selects. */
type SelectInThreads = (
  parts: AsyncGenerator<Part>,
  format: TextFormat,
  threads: Threads,
  filter: AnyFilter,
  verb: 'pick' | 'omit',
) => AsyncGenerator<Section>;

/**
 * The lines of a text whose keys a filter selects, for which there must be memory. The filter is disposed of when other
 * threads have it. A section is valid until the next one is asked for.
 */
const selectInThreads: SelectInThreads = async function* (parts, format, { count, after }, filter, verb) {
  yield* selectLines(firstOf(parts, after), selectBy(filter, verb));
  const pool = new Pool<Work, Selected>(count, () => {
    const task: SelectTask = { name: 'select', verb, format, filter: send(filter, count) };
    filter.dispose();
    return task;
  });
  try {
    const work = (batch: Batch): Promise<Selected> => pool.idlest().ask(workOf(batch), [batch.memory]);
    for await (const { batch, value } of inBatches(parts, format.separator, count, work)) {
      const { memory, read, length, tally } = value;
      if (!settle(batch, read)) continue;
      addTally(batch.format, tally);
      if (length > 0) yield { mark: batch.mark, bytes: new Uint8Array(memory, 0, length) };
      requireValid(format);
    }
  } finally {
    pool.end();
  }
};

/** As `selectInThreads`, with one filter for all: the other threads hash the lines, and this one looks them up. */
const selectHashes: SelectInThreads = (parts, format, threads, filter, verb) => {
  const flag = (hashes: HashedKeys): Uint8Array<ArrayBuffer> =>
    flagsFor(verb, filter.hasMany(hashes, new Uint8Array(hashes.length)));
  return dedupeInThreads(parts, format, threads, {
    seed: filter.seed,
    full: undefined,
    select: selectBy(filter, verb),
    flag,
  });
};

/** How several threads look lines up in a filter; undefined if one thread does. */
export function selectorFor(filter: AnyFilter, { count }: Threads): SelectInThreads | undefined {
  if (fitsThreads(filter, count)) return selectInThreads;
  return isExact(filter) ? selectHashes : undefined;
}
