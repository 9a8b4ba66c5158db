import { mustBe, show, showRounded } from '../checks/validate.ts';
import type { Cells } from './kind.ts';
import { CELLS } from './kind.ts';
import type { StoredFilter } from './stored-filter.ts';

/** Another filter of the same kind as F. A subclass of either may be given. */
export type Like<F extends StoredFilter> = StoredFilter & { readonly kind: F['kind'] };

const SHAPE = ['cellCount', 'cellBits', 'hashes', 'seed'] as const;

function shapeOf({ parameters, cellBits }: Cells): Record<(typeof SHAPE)[number], number> {
  return { ...parameters, cellBits };
}

/** The first parameter that differs between two filters of the same kind. */
export function differenceOf(one: Cells, other: Cells): (typeof SHAPE)[number] | undefined {
  return SHAPE.find((name) => shapeOf(one)[name] !== shapeOf(other)[name]);
}

/** Returns the cells of another filter. Throws a TypeError unless it is of the same kind. */
export function requireSameKind<C extends Cells>({ kind }: C, other: StoredFilter): C {
  // Users of plain JavaScript may pass anything.
  const cells = (other as StoredFilter | null | undefined)?.[CELLS];
  if (cells?.kind === kind) return cells as C;
  const shown = cells?.kind ? `a ${cells.kind.className}` : show(other);
  const hint = shown === `an object (${kind.className})` ? ' that is not from this copy of bloomery' : '';
  throw new TypeError(`other must be a ${kind.className}, got ${shown}${hint}`);
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
  if (name === 'cellCount') throw new RangeError(`other must have ${sizeOf(cells)}, got ${sizeOf(others)}`);
  throw new RangeError(mustBe(`${name} of other`, show(shapeOf(cells)[name]), shapeOf(others)[name]));
}
