import type { FileKind, FilterParameters, Saved } from '../format/header.ts';
import type { Saving } from '../format/save.ts';
import type { KernelExports } from '../kernel/instance.ts';
import type { Engine, PairFunction, Region } from '../kernel/region.ts';
import type { Key } from '../keys/key.ts';

/** The size of a filter that is to be made. */
export interface Size {
  readonly cellCount: number;
  readonly hashes: number;
  /** The number of bits per cell; by default the least that the kind can have. */
  readonly cellBits?: number;
  /** The parameters that only this kind has. */
  readonly own?: unknown;
}

/** What the filters of a kind can do, and what they cannot, unless options such as `nonScaling` change that. */
export interface FilterTraits {
  /** Whether keys can be removed. Such filters are a `RemovingFilter`. */
  readonly removes: boolean;
  /** Whether there is room for a number of keys only: then adding more throws a FilterFullError. */
  readonly canBeFull: boolean;
  /** Whether the filter takes more memory as keys are added, and keeps its error rate however many there are. */
  readonly grows: boolean;
  /** Whether the filter forgets keys, and keeps its error rate however many are added. */
  readonly forgets: boolean;
  /**
   * Whether it may forget any key at any time. If so, even one of the last `capacity` keys may look absent. Other
   * filters that forget drop the oldest keys only.
   */
  readonly forgetsAny: boolean;
  /**
   * The lowest error rate for which a filter of `capacity` keys can be made, without options of its own. The rate
   * depends on the capacity in few kinds.
   */
  leastErrorRate(capacity: number): number;
}

/** Describes a kind of filter for the code that all kinds share. `Cells` is the type of its cells. */
export interface Kind<Cells = unknown> extends FileKind {
  readonly traits: FilterTraits;
  /** The class name in errors and in the output of `console.log`. */
  readonly className: string;
  /**
   * The options that give a size instead of a capacity and an error rate. Filters have properties of the same names.
   */
  readonly sizes: readonly string[];
  /** The names of further options of the kind, which `sizeFor` reads. */
  readonly options?: readonly string[];
  /** The default capacity of `from` if the number of keys is unknown. Without it, the user must give one. */
  readonly guess?: number;
  /** The properties to print between capacity and seed; `sizes` by default. */
  readonly shown?: readonly string[];
  /**
   * The size that holds `capacity` keys at `errorRate`. Throws a TypeError or a RangeError if an option is wrong. Left
   * out by a kind that has no constructor.
   */
  sizeFor?(capacity: number, errorRate: number, options: Readonly<Record<string, unknown>>): Size;
  /** Reads the size from the options named in `sizes`, if there are any. Throws a TypeError or a RangeError. */
  sizeOf?(options: Readonly<Record<string, unknown>>): Size;
  /** The expected error rate with `count` keys. Needed with `sizes`: a filter made from a size saves no error rate. */
  errorRateAt?(count: number, parameters: FilterParameters, cellBits: number, own: unknown): number;
  /** Whether counting the cells reads a clock and may clear some of them. If so, `console.log` does not count them. */
  isTimed?(cells: Cells): boolean;
  /** Makes the cells of a filter over its memory. Cells that grow reserve more from `engine`. */
  cellsOf(saved: Saved, engine: Engine): Cells;
}

/**
 * The property that holds the cells of a filter. The package does not export the symbol.
 *
 * @internal
 */
export const CELLS: unique symbol = /* @__PURE__ */ Symbol('cells');

/**
 * The static property that holds the kind of a filter class.
 *
 * @internal
 */
export const KIND: unique symbol = /* @__PURE__ */ Symbol('kind');

/** A class of filters: one kind on one engine, with any constructor. */
export interface FilterClass<F> {
  readonly prototype: F;
  readonly engine: Engine;
  readonly traits: FilterTraits;
  /** @internal */
  readonly [KIND]: Kind;
}

/** The cells of a filter: adds and looks up hashes and single keys in the memory of one region. */
export abstract class Cells implements Saved {
  readonly region: Region;
  readonly parameters: FilterParameters;
  readonly seed: number;
  readonly cellBits: number;
  readonly own: unknown;
  abstract readonly kind: Kind;

  constructor({ segments: [region], parameters, cellBits, own }: Saved) {
    this.region = region;
    this.parameters = parameters;
    this.seed = parameters.seed;
    this.cellBits = cellBits;
    this.own = own;
  }

  get segments(): readonly [Region, ...Region[]] {
    return [this.region];
  }

  /** The memory that the cells take, in bytes. */
  get byteLength(): number {
    return this.region.byteLength;
  }

  /** Runs before the first key of a batch is read. May run user code. */
  begin?(): void;

  /** What a file holds, of cells that are saved in another form. */
  toSave?(): Saving;

  /**
   * Looks up the first `count` hashes in the scratch, and may change them there. Flags with 1 those that may be
   * present; returns their number.
   */
  abstract has(count: number): number;
}

/** The cells of a filter that takes new keys. */
export abstract class GrowingCells extends Cells {
  /**
   * Adds the first `count` hashes in the scratch. Writes flags only if they cost nothing. Errors count positions from
   * `before`, the number of keys in earlier chunks.
   */
  abstract add(count: number, before: number): void;

  /** As `add`, but always writes flags: 1 for a hash that was absent, else 0. */
  abstract addFlags(count: number, before: number): void;

  /** Adds a single key, as few keys of a batch are. Returns whether it was absent. If it throws, it was not added. */
  abstract addKey(key: Key): boolean;

  /** The number of cells in use: in the whole region, or in `length` bytes at `pointer` in the same memory. */
  used(pointer = this.region.pointer, length = this.region.paddedLength): number {
    return this.region.instance.kernel.bits_count(pointer, length);
  }
}

/** A kind whose filters can be combined cell by cell. */
export interface CombinableKind extends Kind<CombinableCells> {
  /** The kernel function that makes the union of two ranges of cells. */
  union(kernel: KernelExports): PairFunction;
  /** The kernel function that makes the intersection of two ranges of cells. */
  intersection(kernel: KernelExports): PairFunction;
  /** The number of cells that each hash chooses among; undefined for all cells. */
  readonly wordCells?: number;
}

/** Cells that can be combined with others of the same kind. */
export interface CombinableCells extends GrowingCells {
  readonly kind: CombinableKind;
}
