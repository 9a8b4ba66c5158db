// The steps, each with the page that has a place for it. A new step is a file in `steps/`, a row, and a place.

import type { StepRow } from './step.ts';

const [what, how] = ['what.html', 'how.html'];

export const steps: readonly StepRow[] = [
  { id: 'bits', page: what, title: 'An array of bits', load: () => import('./steps/bits.ts') },
  { id: 'size', page: what, title: 'How many bits, how many hashes', load: () => import('./steps/size.ts') },
  { id: 'blocked', page: how, title: 'One cache line for each key', load: () => import('./steps/blocked.ts') },
  { id: 'counting', page: how, title: 'Counters, to remove keys', load: () => import('./steps/counting.ts') },
  { id: 'cuckoo', page: how, title: 'Fingerprints that make room', load: () => import('./steps/cuckoo.ts') },
  { id: 'fuse', page: how, title: 'Peeling, for a complete list', load: () => import('./steps/fuse.ts') },
  { id: 'rotating', page: how, title: 'Forgetting, as time passes', load: () => import('./steps/rotating.ts') },
  { id: 'attack', page: how, title: 'Keys from strangers', load: () => import('./steps/attack.ts') },
];
