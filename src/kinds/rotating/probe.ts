import { blockOf, writeWordBits } from '../blocked/probe.ts';
import { BLOCK_BITS, WORDS } from '../blocked/sizing.ts';
import { areAllSet, lowOf, type ProbeOf } from '../probe.ts';
import type { Own } from './cells.ts';
import { endOf } from './sizing.ts';

/** How many lanes a filter in memory would have cleared since the file was saved, because their time is over. */
function expiredLanes({ lanes, window, begun }: Own): number {
  if (window === 0) return 0;
  const now = Date.now();
  let end = endOf({ lanes, window, begun });
  let expired = 0;
  while (expired < lanes && now > end) {
    end = endOf({ lanes, window, begun: end });
    expired++;
  }
  return expired;
}

export const probeLanes: ProbeOf<Own> = ({ parameters: { cellCount }, own }) => {
  const { lanes, current } = own;
  return {
    cells: lanes * WORDS,
    width: 1,
    run: lanes * WORDS,
    place([h1], bits) {
      const block = lanes * blockOf(h1, cellCount / BLOCK_BITS / lanes);
      for (let lane = 0; lane < lanes; lane++) {
        writeWordBits(lowOf(h1), BLOCK_BITS * (block + lane), bits, WORDS * lane);
      }
      return 0;
    },
    holds(cells) {
      // The oldest lanes follow the current one.
      const expired = expiredLanes(own);
      for (let age = 0; age < lanes - expired; age++) {
        const lane = (current - age + lanes) % lanes;
        if (areAllSet(cells.subarray(WORDS * lane, WORDS * (lane + 1)))) return true;
      }
      return false;
    },
  };
};
