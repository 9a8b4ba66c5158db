// The classic filter, bit by bit.

import { kindOf } from '../small/kinds.ts';
import { showSmall } from '../small/view.ts';
import type { Step } from '../step.ts';

export const step: Step = {
  text: [
    'A Bloom filter is an array of bits, all 0 at first. A key becomes a hash, the same one every time, and the hash picks 4 of these 128 bits. Adding the key sets them.',
    'A lookup reads the bits of a key. If one of them is 0, the key was certainly never added: a miss. If all are 1, it may have been.',
    '“May”, because other keys may have set those bits. Fill the array, and look for such a false positive. The formula says how many to expect.',
  ],
  show: (stage) => showSmall(stage, kindOf('classic')),
};
