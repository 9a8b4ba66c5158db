import type { Kind, Parameters } from '../format/header.ts';
import type { Engine, KernelExports } from '../kernel/kernel.ts';
import type { Region } from '../kernel/region.ts';
import { CHUNK_BYTES } from '../kernel/scratch.ts';
import { mustBe, show } from '../validate.ts';

/** The memory of a filter, and what it is to be read as. */
export interface Cells {
  readonly parameters: Parameters;
  readonly region: Region;
}

/** A copy in memory of its own. */
export function copyOf(region: Region, engine: Engine): Region {
  const copy = engine.reserve(region.byteLength);
  // Both views are taken after the reservation, which may have moved the memory.
  copy.bytes.set(region.bytes);
  return copy;
}

const SHAPE = ['cells', 'hashes', 'seed'] as const;

/** Throws a RangeError that names the first parameter in which two filters of a kind differ. */
export function requireAlike(kind: Kind, one: Cells, other: Cells): void {
  const name = SHAPE.find((each) => one.parameters[each] !== other.parameters[each]);
  if (name === undefined) return;
  const shown = name === 'cells' ? kind.cells : name;
  throw new RangeError(mustBe(`${shown} of other`, show(one.parameters[name]), other.parameters[name]));
}

/** Whether two filters of a kind have the same parameters, promises aside, and the same cells. */
export function areEqual(one: Cells, other: Cells): boolean {
  return (
    SHAPE.every((name) => one.parameters[name] === other.parameters[name]) &&
    combine(one.region, other.region, (kernel) => kernel.bits_equal)
  );
}

/** A function of the kernel over two places of so many bytes. */
type PairFunction = (target: number, source: number, length: number) => unknown;

/**
 * Combines the target with the source, in place, or compares them. Bodies in two memories meet in the target's
 * scratch, a piece at a time.
 *
 * @returns false if they were compared and differ
 */
export function combine(target: Region, source: Region, of: (kernel: KernelExports) => PairFunction): boolean {
  const { instance, pointer, paddedLength } = target;
  const { kernel, scratch } = instance;
  const visit = of(kernel);
  if (instance === source.instance) return visit(pointer, source.pointer, paddedLength) !== 0;
  const bytes = source.bytes;
  for (let at = 0; at < paddedLength; at += CHUNK_BYTES) {
    const piece = bytes.subarray(at, at + CHUNK_BYTES);
    scratch.keyBytes.set(piece);
    if (visit(pointer + at, scratch.keys, piece.length) === 0) return false;
  }
  return true;
}
