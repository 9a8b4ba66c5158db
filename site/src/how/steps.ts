// The steps of the walk, in their order. A new step is a file in `steps/`, and a row.

import type { StepRow } from './step.ts';

export const steps: readonly StepRow[] = [
  { id: 'bits', label: 'Bits', title: 'An array of bits', load: () => import('./steps/bits.ts') },
  { id: 'size', label: 'Size', title: 'How many bits, how many hashes', load: () => import('./steps/size.ts') },
  { id: 'blocked', label: 'Blocks', title: 'One cache line for each key', load: () => import('./steps/blocked.ts') },
  { id: 'counting', label: 'Removal', title: 'Counters, to remove keys', load: () => import('./steps/counting.ts') },
  { id: 'cuckoo', label: 'Cuckoo', title: 'Fingerprints that make room', load: () => import('./steps/cuckoo.ts') },
  { id: 'fuse', label: 'Fuse', title: 'Peeling, for a complete list', load: () => import('./steps/fuse.ts') },
  { id: 'rotating', label: 'Rotating', title: 'Forgetting, as time passes', load: () => import('./steps/rotating.ts') },
  { id: 'attack', label: 'Attack', title: 'Keys from strangers', load: () => import('./steps/attack.ts') },
  { id: 'rarer', label: 'Rarer', title: 'Three rarer kinds', load: () => import('./steps/rarer.ts') },
];
