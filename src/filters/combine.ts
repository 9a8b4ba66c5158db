// Operations on the bodies of two filters, which may live in two memories.

import type { Region } from '../kernel/region.ts';
import { CHUNK_BYTES } from '../kernel/scratch.ts';
import { show } from '../validate.ts';

/**
 * Combines the target with the source, in place, or compares them. Bodies in two memories meet in the target's
 * scratch, a piece at a time.
 *
 * @returns false if they were compared and differ
 */
export function combine(target: Region, source: Region, verb: 'bits_or' | 'bits_and' | 'bits_equal'): boolean {
  const { instance, pointer, paddedLength } = target;
  const { kernel, scratch } = instance;
  if (instance === source.instance) return kernel[verb](pointer, source.pointer, paddedLength) !== 0;
  const bytes = source.bytes;
  for (let at = 0; at < paddedLength; at += CHUNK_BYTES) {
    const piece = bytes.subarray(at, at + CHUNK_BYTES);
    scratch.keyBytes.set(piece);
    if (kernel[verb](pointer + at, scratch.keys, piece.length) === 0) return false;
  }
  return true;
}

/** Throws a RangeError that names the first of the parameters in which two filters differ. */
export function requireAlike<P extends string>(
  one: Readonly<Record<P, unknown>>,
  other: Readonly<Record<P, unknown>>,
  parameters: readonly P[],
): void {
  for (const parameter of parameters) {
    if (one[parameter] === other[parameter]) continue;
    throw new RangeError(
      `other must have the same ${parameter} (${show(one[parameter])}), got a filter with ${show(other[parameter])}`,
    );
  }
}
