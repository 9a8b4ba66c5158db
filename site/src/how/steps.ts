// The steps of the walk, in their order. A new step is a file in `steps/`, and a row.

import type { Engine } from '../engine.ts';

/** The place of a step on the page. */
export interface Stage {
  /** Where the step puts its picture and its controls. It leaves the page when the step is shown again. */
  readonly root: HTMLElement;
  /** Tells what an action did. The step puts it near what has changed. */
  readonly said: HTMLElement;
  readonly engine: Engine;
  /** The state with which the step begins, from the address: anybody may have written it. */
  readonly state: URLSearchParams;
  /**
   * Puts the state into the address.
   *
   * @param isWhole whether that is all that was done here; default true
   */
  keep(state: URLSearchParams, isWhole?: boolean): void;
  /** Writes to `said` what an action did. Screen readers speak it. */
  say(text: string): void;
}

export interface Step {
  /** The sentences beside the picture. */
  readonly text: readonly string[];
  show(stage: Stage): void | Promise<void>;
}

export interface StepRow {
  /** Its name in the address. */
  readonly id: string;
  /** Its name in the list of steps. */
  readonly label: string;
  readonly title: string;
  load(): Promise<{ readonly step: Step }>;
}

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
