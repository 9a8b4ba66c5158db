// Operations on the bodies of two filters, which may live in two memories.

import type { Region } from '../kernel/region.ts';
import { CHUNK_BYTES } from '../kernel/scratch.ts';
import { mustBe, show } from '../validate.ts';

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

type Parameters<P extends string> = Readonly<Record<P, unknown>>;

/** The first of the named parameters in which two filters differ, if any. */
export function differenceOf<P extends string>(
  one: Parameters<P>,
  other: Parameters<P>,
  names: readonly P[],
): P | undefined {
  return names.find((name) => one[name] !== other[name]);
}

/** Throws a RangeError if two filters differ in one of the named parameters. */
export function requireAlike<P extends string>(one: Parameters<P>, other: Parameters<P>, names: readonly P[]): void {
  const name = differenceOf(one, other, names);
  if (name) throw new RangeError(mustBe(`${name} of other`, show(one[name]), other[name]));
}
