import { blockOf, writeWordBits } from '../blocked/probe.ts';
import { BLOCK_BITS, WORDS } from '../blocked/sizing.ts';
import { areAllSet, lowOf, type ProbeOf } from '../probe.ts';
import type { Own } from './cells.ts';
import { endOf } from './sizing.ts';

/** How many generations a filter in memory would have cleared since the file was saved, because their time is over. */
function expiredGenerations({ generations, window, begun }: Own): number {
  if (window === 0) return 0;
  const now = Date.now();
  let end = endOf({ generations, window, begun });
  let expired = 0;
  while (expired < generations && now > end) {
    end = endOf({ generations, window, begun: end });
    expired++;
  }
  return expired;
}

export const probeGenerations: ProbeOf<Own> = ({ parameters: { cellCount }, own }) => {
  const { generations, current } = own;
  return {
    cells: generations * WORDS,
    width: 1,
    run: generations * WORDS,
    place([h1], bits) {
      const block = generations * blockOf(h1, cellCount / BLOCK_BITS / generations);
      for (let generation = 0; generation < generations; generation++) {
        writeWordBits(lowOf(h1), BLOCK_BITS * (block + generation), bits, WORDS * generation);
      }
      return 0;
    },
    holds(cells) {
      // The oldest generations follow the current one.
      const expired = expiredGenerations(own);
      for (let age = 0; age < generations - expired; age++) {
        const generation = (current - age + generations) % generations;
        if (areAllSet(cells.subarray(WORDS * generation, WORDS * (generation + 1)))) return true;
      }
      return false;
    },
  };
};
