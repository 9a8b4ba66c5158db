import type { FilterParameters, Saved } from '../format/header.ts';
import type { Region } from '../kernel/region.ts';
import type { Kind } from './kind.ts';

/** The cells of a filter, in one region: what a kind does with hashes and with single keys. */
export abstract class Cells<Linked = unknown> implements Saved<Linked> {
  readonly region: Region<Linked>;
  readonly parameters: FilterParameters;
  readonly seed: number;
  readonly cellBits: number;
  readonly own: unknown;
  abstract readonly kind: Kind;

  constructor({ segments: [region], parameters, cellBits, own }: Saved<Linked>) {
    this.region = region;
    this.parameters = parameters;
    this.seed = parameters.seed;
    this.cellBits = cellBits;
    this.own = own;
  }

  get segments(): readonly [Region<Linked>, ...Region<Linked>[]] {
    return [this.region];
  }

  /** Looks up the first `count` hashes in the scratch. Flags with 1 those that may be present; returns their number. */
  abstract has(count: number): number;
}

/** The cells of a filter to which keys can be added. */
export abstract class GrowingCells<Linked = unknown> extends Cells<Linked> {
  /**
   * Adds the first `count` hashes in the scratch. Writes flags only if they cost nothing. `before` is the number of
   * keys before these, for errors.
   */
  abstract add(count: number, before: number): unknown;

  /** Adds the first `count` hashes in the scratch, as `add` does. Flags with 1 those that were absent. */
  abstract addFlags(count: number, before: number): unknown;

  /** The number of cells in use. */
  used(): number {
    const { instance, pointer, paddedLength } = this.region;
    return instance.kernel.bits_count(pointer, paddedLength);
  }
}
