import { show } from '../validate.ts';
import type { Cells } from './cells.ts';
import { CELLS } from './kind.ts';
import { StoredFilter } from './stored-filter.ts';

/** Another filter of the same kind as F. A subclass of either may be given. */
export type Like<F extends StoredFilter> = StoredFilter & { readonly kind: F['kind'] };

/** Returns the cells of another filter. Throws a TypeError unless it is of the same kind. */
export function requireSameKind<C extends Cells>({ kind }: C, other: unknown): C {
  const cells = other instanceof StoredFilter ? other[CELLS] : undefined;
  if (cells?.kind === kind) return cells as C;
  const shown = cells ? `a ${cells.kind.className}` : show(other);
  const hint = shown === `an object (${kind.className})` ? ' that is not from this copy of bloomery' : '';
  throw new TypeError(`other must be a ${kind.className}, got ${shown}${hint}`);
}
