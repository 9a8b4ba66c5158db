// The classic filter, bit by bit.

import { kindOf } from '../small/kinds.ts';
import { showSmall } from '../small/view.ts';
import type { Step } from '../step.ts';

/** One of two keys that have the same bits was added, and the other one is looked up. */
const begin = 'key=mark+green&a=grace+ford';

export const step: Step = {
  text: [
    'Adding a key sets 4 of these 128 bits, and a lookup reads them. “grace ford” was added, and “mark green” has the same bits. Type other keys, fill the array, and find more false positives.',
  ],
  show: (stage) => showSmall(stage, kindOf('classic'), { begin }),
};
