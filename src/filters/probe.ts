import type { Instance } from '../kernel/kernel.ts';
import type { Region } from '../kernel/region.ts';

/**
 * What a kind of filter does with hashes. They are the first `count` of the instance's scratch; flags, one byte each,
 * go to the scratch too.
 */
export interface Probe {
  readonly region: Region;
  readonly seed: number;
  /** Adds them. */
  add(instance: Instance, count: number): void;
  /** Adds them, flags with 1 those that were certainly absent, and returns how many. */
  addFlags(instance: Instance, count: number): number;
  /** Flags with 1 those that may be present, and returns how many. */
  has(instance: Instance, count: number): number;
}
