// Lines that other threads hash, for a filter that one thread makes of the hashes.

import { HashedKeys } from 'bloomery/hash';
import { requireValid, type TextFormat } from '../text/format.ts';
import { firstOf, type Part, type SpanRead } from '../text/parts.ts';
import { keysOf, type TextKeys } from '../text/records.ts';
import { type Batch, inBatches } from './batches.ts';
import type { Threads } from './count.ts';
import { Pool } from './pool.ts';
import { addTally, type BatchTally, settle, type Work, workOf } from './work.ts';

/** What the threads are for. */
export interface HashTask {
  readonly name: 'hash';
  readonly format: TextFormat;
  readonly seed: number;
}

/** The lines of a batch, hashed. */
export interface Hashed {
  /** 16 bytes for each line. */
  readonly hashes: Uint8Array<ArrayBuffer>;
  readonly read: SpanRead | undefined;
  readonly tally: BatchTally;
}

/** The hashed lines of a batch, and its memory, which comes back to be used again. */
export interface HashedBatch extends Hashed {
  readonly memory: ArrayBuffer;
}

/** Passes on all lines of a text, in their order: the first as keys, and what other threads have hashed as hashes. */
export async function hashInThreads(
  parts: AsyncGenerator<Part>,
  format: TextFormat,
  { count, after }: Threads,
  seed: number,
  add: (keys: TextKeys | HashedKeys) => void,
): Promise<void> {
  for await (const { bytes, format: own } of firstOf(parts, after)) {
    add(keysOf(bytes, own));
    requireValid(format);
  }
  const pool = new Pool<Work, HashedBatch>(count, (): HashTask => ({ name: 'hash', format, seed }));
  try {
    const work = (batch: Batch): Promise<HashedBatch> => pool.idlest().ask(workOf(batch), [batch.memory]);
    for await (const { batch, value } of inBatches(parts, format.separator, count, work)) {
      const { hashes, read, tally } = value;
      settle(batch, read);
      addTally(batch.format, tally);
      requireValid(format);
      add(new HashedKeys(hashes, seed));
    }
  } finally {
    pool.end();
  }
}
