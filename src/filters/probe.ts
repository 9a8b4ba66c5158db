import type { Instance } from '../kernel/kernel.ts';
import type { Region } from '../kernel/region.ts';

/**
 * What a kind of filter does with the first `count` hashes of the instance's scratch. If it is not `add`, it leaves a
 * flag for each of them in the scratch, and returns how many of these are 1.
 */
export type Step = (instance: Instance, count: number) => unknown;

/** A kind's own steps, by the names of its verbs, and what they need. */
export type Probe<Verbs extends string> = {
  readonly region: Region;
  readonly seed: number;
} & { readonly [Verb in Verbs]: Step };
