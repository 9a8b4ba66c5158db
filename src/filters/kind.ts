import type { FileKind, FilterParameters, Saved } from '../format/header.ts';
import type { Engine } from '../kernel/region.ts';

/** How large a filter is. */
export interface Size {
  readonly cellCount: number;
  readonly hashes: number;
  /** The number of bits per cell; by default the least that the kind can have. */
  readonly cellBits?: number;
  /** The parameters that only this kind has. */
  readonly own?: unknown;
}

/** What the layers know about a kind of filter. `Cells` is the type of its cells. */
export interface Kind<Cells = unknown> extends FileKind {
  /** The class name in errors and in the output of `console.log`. */
  readonly className: string;
  /**
   * The options that give a size instead of a capacity and an error rate. Filters have properties of the same names.
   */
  readonly sizes: readonly string[];
  /** The names of further options of the kind, which `sizeFor` reads. */
  readonly options?: readonly string[];
  /** The properties to print between capacity and seed; `sizes` by default. */
  readonly shown?: readonly string[];
  /** The size that holds `capacity` keys at `errorRate`. Throws a TypeError or a RangeError if an option is wrong. */
  sizeFor(capacity: number, errorRate: number, options: Readonly<Record<string, unknown>>): Size;
  /** The size that the options give. Throws a TypeError or a RangeError if they are wrong. */
  sizeOf(options: Readonly<Record<string, unknown>>): Size;
  /** The expected error rate with `count` keys. */
  errorRateAt(count: number, parameters: FilterParameters, cellBits: number): number;
  /** Whether counting cells asks a clock, and clears what is due. Then printing a filter does not count them. */
  isTimed?(cells: Cells): boolean;
  /** @param engine what reserves memory, for cells that grow */
  cellsOf(saved: Saved, engine: Engine): Cells;
}

/**
 * The property in which a filter keeps its cells. The package does not export the symbol.
 *
 * @internal
 */
export const CELLS: unique symbol = /* @__PURE__ */ Symbol('cells');

/**
 * The static property in which a filter class keeps its kind.
 *
 * @internal
 */
export const KIND: unique symbol = /* @__PURE__ */ Symbol('kind');

/** A filter class: one kind on one engine, whatever its constructor takes. */
export interface FilterClass<F> {
  readonly prototype: F;
  readonly engine: Engine;
  /** @internal */
  readonly [KIND]: Kind;
}
