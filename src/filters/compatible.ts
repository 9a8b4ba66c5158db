import { combine } from '../kernel/region.ts';
import { show, showRounded, showSeed } from '../util/checks/validate.ts';
import type { Cells } from './kind.ts';
import { CELLS } from './kind.ts';
import type { StoredFilter } from './stored-filter.ts';

/** Another filter of the same kind as F. A subclass of either may be given. */
export type Like<F extends StoredFilter> = StoredFilter & { readonly kind: F['kind'] };

/** The parameters in which filters must agree to be combined, in the order in which errors name them. */
function shapeOf({ parameters: { cellCount, hashes, seed }, cellBits, own }: Cells): Readonly<Record<string, number>> {
  // What the user gave comes before the cells' width, which follows from it.
  return { cellCount, hashes, seed, ...(own as Readonly<Record<string, number>> | undefined), cellBits };
}

/** The first of these parameters that differs between two filters of the same kind. */
function differenceOf(one: Cells, other: Cells): string | undefined {
  const shape = shapeOf(one);
  const others = shapeOf(other);
  return Object.keys(shape).find((name) => shape[name] !== others[name]);
}

/** Returns the cells of another filter. Throws a TypeError unless it is of the same kind. */
export function requireSameKind<C extends Cells>({ kind }: C, other: StoredFilter): C {
  // Users of plain JavaScript may pass anything.
  const cells = (other as StoredFilter | null | undefined)?.[CELLS];
  if (cells?.kind === kind) return cells as C;
  const { className } = kind;
  const shown = cells?.kind ? `a ${cells.kind.className}` : show(other);
  const hint = shown === `an object (${className})` ? ' that is not from this copy of bloomery' : '';
  throw new TypeError(`other must be a ${className}, got ${shown}${hint}`);
}

/** The size for an error message, such as `9586 bits for capacity 1000 at 0.01`. */
function sizeOf({ kind, parameters: { capacity, errorRate, cellCount } }: Cells): string {
  const promise = capacity ? ` for capacity ${capacity} at ${showRounded(errorRate)}` : '';
  return `${cellCount} ${kind.cellName}${promise}`;
}

/** Returns the cells of another filter. Throws an error that names the difference unless the two can be combined. */
export function requireAlike<C extends Cells>(cells: C, other: StoredFilter): C {
  const others = requireSameKind(cells, other);
  const name = differenceOf(cells, others);
  if (name === undefined) return others;
  // Only seeds are large, so `showSeed` shows any other parameter as it is.
  throw new RangeError(
    name === 'cellCount'
      ? `other must have ${sizeOf(cells)}, got ${sizeOf(others)}`
      : `${name} of other must be ${showSeed(shapeOf(cells)[name] as number)}, got ${showSeed(shapeOf(others)[name] as number)}`,
  );
}

/** Whether another filter has the same parameters, capacity and error rate apart, and the same cells. */
export function areEqual(cells: Cells, other: StoredFilter): boolean {
  const others = requireSameKind(cells, other);
  return (
    differenceOf(cells, others) === undefined && combine(cells.region, others.region, (kernel) => kernel.bits_equal)
  );
}
