// The cuckoo filter, whose fingerprints move to make room.

import type { Change } from '../small/kind.ts';
import { kindOf } from '../small/kinds.ts';
import { movesOf } from '../small/moves.ts';
import type { Picture } from '../small/picture.ts';
import { type Finder, showSmall } from '../small/view.ts';
import { hex } from '../small/words.ts';
import type { Step } from '../step.ts';

const kind = kindOf('cuckoo');
/** Three quarters of the slots are in use: then some keys find none that is empty. */
const BEGIN = 'n=48';

const crowded: Finder = {
  label: 'Find a key without room',
  find: (model) => model.findCrowded(),
  otherwise: 'No name finds both of its buckets full yet: add more keys.',
};

/** Shows one move after another, the last one first, because it needs the empty slot. */
async function onAdd(picture: Picture, change: Change, isLatest: () => boolean): Promise<void> {
  if (!matchMedia('(prefers-reduced-motion: no-preference)').matches) return;
  const slots = [...change.before];
  for (const { value, from, to } of movesOf(change).reverse()) {
    if (from !== undefined) slots[from] = 0;
    picture.show(slots);
    await picture.fly(hex(value), from, to);
    if (!isLatest()) return;
    slots[to] = value;
  }
  picture.show(slots);
}

export const step: Step = {
  text: [
    'Each key has a fingerprint, here of 7 bits, in one of two buckets of 4 slots. If both are full, a fingerprint there moves to its other bucket, and one from there on, if need be. Find a key without room, and add it.',
    'Removing a key empties its slot, in a quarter of the memory of counters. When no move helps, the filter is full: it refuses the key, and has lost none. The longer the fingerprints, the rarer the errors: a FingerprintSet keeps 96 bits of each hash, and practically never errs.',
  ],
  show: (stage) => showSmall(stage, kind, { begin: BEGIN, finders: [crowded], onAdd }),
};
