// The classic filter, bit by bit.

import { kindOf } from '../small/kinds.ts';
import { showSmall } from '../small/view.ts';
import type { Step } from '../step.ts';

export const step: Step = {
  text: [
    'A Bloom filter is an array of bits, all 0 at first. The hash of a key picks 4 of these 128 bits, and adding the key sets them. A lookup reads them: if one is 0, the key was certainly never added. If all are 1, it may have been.',
    'Only “may”, because other keys may have set them. Fill the array, and find such a false positive.',
  ],
  show: (stage) => showSmall(stage, kindOf('classic')),
};
