// The command dedupe in several threads: they hash the lines, one adds the hashes in the order of the text, and they drop
// the lines that are not selected.

import { HashedKeys } from 'bloomery/hash';
import { type Flagging, untilFull } from '../filters/seen.ts';
import type { Section } from '../text/cut.ts';
import { requireValid, type TextFormat } from '../text/format.ts';
import { firstOf, type Part } from '../text/parts.ts';
import { selectLines } from '../text/select.ts';
import { type Batch, inBatches } from './batches.ts';
import type { Threads } from './count.ts';
import type { Hashed } from './hash.ts';
import { Pool } from './pool.ts';
import { addTally, type BatchTally, settle, type Work, workOf } from './work.ts';

/** What the threads are for. */
export interface DedupeTask {
  readonly name: 'dedupe';
  readonly format: TextFormat;
  readonly seed: number;
}

/** A batch to hash, or a flag for each line of the batch that was hashed first of those without flags. */
export type DedupeQuestion = Work | { readonly flags: Uint8Array<ArrayBuffer> };

/** The memory of a batch, which now begins with the selected lines. */
export interface Kept {
  readonly memory: ArrayBuffer;
  readonly length: number;
}

interface Deduped extends Kept {
  /** Whether there was no room for another line. */
  readonly isFull: boolean;
  /** What was found in the records, if they count. */
  readonly tally: BatchTally | undefined;
}

/**
 * The lines of a text that are selected in their order, up to the one for which there is no room. A section is valid
 * until the next one is asked for.
 */
export async function* dedupeInThreads(
  parts: AsyncGenerator<Part>,
  format: TextFormat,
  { count, after }: Threads,
  seen: Flagging,
): AsyncGenerator<Section> {
  yield* selectLines(untilFull(firstOf(parts, after), seen), (keys) => seen.select(keys));
  if (seen.full) return;
  const { seed } = seen;
  const pool = new Pool<DedupeQuestion, Hashed | Kept>(count, (): DedupeTask => ({ name: 'dedupe', format, seed }));
  let turn: Promise<unknown> = Promise.resolve();
  const work = (batch: Batch): Promise<Deduped> => {
    const thread = pool.idlest();
    // The type of the answer follows from that of the question, which TypeScript cannot express.
    const hashing = thread.ask(workOf(batch), [batch.memory]) as Promise<Hashed>;
    const before = turn;
    const adding = (async () => {
      await before;
      const { hashes, read, tally } = await hashing;
      const counts = settle(batch, read) && !seen.full;
      const flags = counts ? seen.flag(new HashedKeys(hashes, seed)) : new Uint8Array(0);
      return { flags, isFull: seen.full !== undefined, tally: counts ? tally : undefined };
    })();
    turn = adding;
    return adding.then(async ({ flags, ...rest }) => {
      const kept = await (thread.ask({ flags }, [flags.buffer]) as Promise<Kept>);
      return { ...kept, ...rest };
    });
  };
  try {
    for await (const { batch, value } of inBatches(parts, format.separator, count, work)) {
      const { memory, length, isFull, tally } = value;
      if (tally) addTally(batch.format, tally);
      if (length > 0) yield { mark: batch.mark, bytes: new Uint8Array(memory, 0, length) };
      requireValid(format);
      if (isFull) return;
    }
  } finally {
    pool.end();
  }
}
