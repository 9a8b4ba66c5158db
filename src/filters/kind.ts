import type { FileKind, FilterParameters, Saved } from '../format/header.ts';
import type { Engine } from '../kernel/region.ts';

/** How large a filter is. */
export interface Size {
  readonly cellCount: number;
  readonly hashes: number;
}

/** What the layers know of a kind of filter. `Cells` are what it does with hashes and keys. */
export interface Kind<Cells = unknown> extends FileKind {
  /** The class that errors and `console.log` name. */
  readonly className: string;
  /** The options that give a size instead of a promise. */
  readonly sizes: readonly string[];
  /** The size that keeps a promise. */
  sizeFor(capacity: number, errorRate: number): Size;
  /** The size that options give. Throws a TypeError or a RangeError for wrong ones. */
  sizeOf(options: Readonly<Record<string, unknown>>): Size;
  /** The error rate to expect with so many keys. */
  errorRateAt(count: number, parameters: FilterParameters): number;
  cellsOf(saved: Saved): Cells;
}

/**
 * Where a filter keeps its cells. The package does not export it, so nobody else reaches them.
 *
 * @internal
 */
export const CELLS: unique symbol = /* @__PURE__ */ Symbol('cells');

/**
 * Where a class of filters keeps its kind.
 *
 * @internal
 */
export const KIND: unique symbol = /* @__PURE__ */ Symbol('kind');

/** A class of filters of one kind on one engine, whatever its constructor takes. */
export interface FilterClass<F> {
  new (...args: never[]): F;
  readonly engine: Engine;
  /** @internal */
  readonly [KIND]: Kind;
}

/** What the constructor of a class of filters takes. */
export type OptionsOf<C> = C extends new (options: infer Options, ...rest: never[]) => unknown ? Options : never;
