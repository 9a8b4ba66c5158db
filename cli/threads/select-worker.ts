import { loadAny } from 'bloomery/load';
import { SharedBlockedBloomFilter, SharedBloomFilter } from 'bloomery/shared';
import { readableClasses } from '../filters/kinds.ts';
import { type Answering, selectBy, selectInto } from '../text/select.ts';
import type { Selected, SelectQuestion, SelectTask, Sent } from './select.ts';
import type { Answer } from './worker.ts';

async function open(sent: Sent): Promise<Answering> {
  if ('file' in sent) return loadAny(readableClasses, [sent.file]);
  const { handle } = sent;
  return handle.kind === 'classic' ? SharedBloomFilter.attach(handle) : SharedBlockedBloomFilter.attach(handle);
}

/** Opens the filter, and selects lines in batches. */
export async function startSelecting({ verb, format, filter }: SelectTask): Promise<Answer> {
  const select = selectBy(await open(filter), verb);
  return ({ memory, length }: SelectQuestion) => {
    format.lacking.lines = 0;
    const all = new Uint8Array(memory);
    const selected = selectInto(all, all.subarray(0, length), format, select);
    const answer: Selected = { length: selected, lacking: format.lacking.lines };
    return { answer };
  };
}
