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
async function animate(picture: Picture, change: Change, isLatest: () => boolean): Promise<void> {
  const slots = [...change.before];
  for (const { value, from, to } of movesOf(change).reverse()) {
    if (from !== undefined) slots[from] = 0;
    picture.show(slots, kind.show);
    await picture.fly(hex(value), from, to);
    if (!isLatest()) return;
    slots[to] = value;
  }
  picture.show(slots, kind.show);
}

function onAdd(picture: Picture, change: Change, isLatest: () => boolean): void {
  if (matchMedia('(prefers-reduced-motion: no-preference)').matches) void animate(picture, change, isLatest);
}

export const step: Step = {
  text: [
    'A cuckoo filter stores a fingerprint of each key, here of 7 bits, in one of two buckets of 4 slots that the hash gives. A key may be present if one of its two buckets has its fingerprint. Removing it empties a slot.',
    'If both buckets are full, a fingerprint in them moves to its other bucket. If that is full too, one there moves on. So nearly all slots can be used, and the filter takes a quarter of the memory of counters. When no move helps, it is full: it refuses the key, and has lost none.',
    'Find a key without room, and add it. Remove only what was added: another key may have the same fingerprint.',
  ],
  show: (stage) => showSmall(stage, kind, { begin: BEGIN, finders: [crowded], onAdd }),
};
