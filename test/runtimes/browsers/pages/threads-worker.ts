import { SharedBlockedBloomFilter, SharedBloomFilter, type SharedHandle } from 'bloomery/shared';
import { answer } from './runner.ts';

/** Adds the keys from one number up to another, and answers how many were new. */
answer(({ handle, from, to }: { handle: SharedHandle; from: number; to: number }) => {
  using filter = handle.kind === 'classic' ? SharedBloomFilter.attach(handle) : SharedBlockedBloomFilter.attach(handle);
  let fresh = 0;
  for (let i = from; i < to; i += 1000) {
    fresh += filter.dedupe(Array.from({ length: Math.min(1000, to - i) }, (_, j) => `key ${i + j}`)).length;
  }
  return fresh;
});
