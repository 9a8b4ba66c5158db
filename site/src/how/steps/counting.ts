// The counting filter: removal, and what it costs.

import { kindOf } from '../small/kinds.ts';
import { showSmall } from '../small/view.ts';
import type { Step } from '../step.ts';

export const step: Step = {
  text: [
    'A bit that two keys have set cannot be cleared for one of them. A counter, 0 to 15, can: adding a key counts its 3 counters up, removing it counts them down. That takes four times the memory.',
    'Remove only what was added: a false positive can be removed too, and takes counts away from other keys. Add names, find a false positive, and remove it.',
  ],
  show: (stage) => showSmall(stage, kindOf('counting')),
};
