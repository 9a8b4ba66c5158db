import { SharedBlockedBloomFilter, SharedBloomFilter } from 'bloomery/shared';
import { canGrow, classOf, type GrowingFilter, makeFilter } from '../filters/kinds.ts';
import { keysOf } from '../text/records.ts';
import type { Filled, FillQuestion, FillTask } from './fill.ts';
import type { Answer } from './worker.ts';

type Target = GrowingFilter | SharedBloomFilter | SharedBlockedBloomFilter;

function open(target: FillTask['target']): Target {
  if ('handle' in target) {
    const { handle } = target;
    return handle.kind === 'classic' ? SharedBloomFilter.attach(handle) : SharedBlockedBloomFilter.attach(handle);
  }
  const Class = classOf(target.kind);
  if (!canGrow(Class)) throw new Error(`${target.kind} filters take no keys`);
  return makeFilter(Class, target.wanted);
}

/** Opens or makes the filter, and adds batches to it. */
export function startFilling({ target, format }: FillTask): Answer {
  const filter = open(target);
  const end = (): Filled => {
    const file = 'handle' in target ? undefined : filter.toBytes();
    filter.dispose();
    return { lacking: 0, ...(file && { file }) };
  };
  return (question: FillQuestion) => {
    if (question === 'end') {
      const answer = end();
      return { answer, moved: answer.file ? [answer.file.buffer] : [] };
    }
    format.lacking.lines = 0;
    filter.addMany(keysOf(new Uint8Array(question.memory, 0, question.length), format));
    const answer: Filled = { lacking: format.lacking.lines };
    return { answer };
  };
}
