import { writeHead } from '../format/header.ts';
import { combine } from '../kernel/region.ts';
import { type Like, requireSameKind } from './compatible.ts';
import { estimateCount } from './estimate.ts';
import { GrowingFilter } from './growing-filter.ts';
import { CELLS, GrowingCells } from './kind.ts';

/** The size and the current fill of a layer. */
export interface Layer {
  readonly cellCount: number;
  readonly hashes: number;
  /** The number of cells in use. */
  readonly used: number;
  /** The share of absent keys that look present in this layer. */
  readonly errorRate: number;
}

/** Cells in layers: new keys go to one layer, and a key may be present if any layer has it. */
export abstract class LayeredCells extends GrowingCells {
  /** Reads the whole filter. */
  abstract layers(): readonly Layer[];
  /** Removes all keys, as if the filter were new. */
  abstract clear(): void;
}

/**
 * Several filters as layers, one of which takes new keys. Combining two such filters would overfill a layer, so there is
 * no `union`.
 */
export abstract class LayeredFilter<Options = never> extends GrowingFilter<Options> {
  /** @internal */
  declare readonly [CELLS]: LayeredCells;

  override fillRatio(): number {
    const layers = this[CELLS].layers();
    const sum = (name: 'used' | 'cellCount'): number => layers.reduce((all, layer) => all + layer[name], 0);
    return sum('used') / sum('cellCount');
  }

  override estimateCount(): number {
    const counts = this[CELLS]
      .layers()
      .map(({ used, cellCount, hashes }) => estimateCount(used / cellCount, cellCount, hashes));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  override estimateErrorRate(): number {
    // 1 − Π (1 − p) over all layers, without losing small p to rounding.
    const logarithm = this[CELLS].layers().reduce((sum, { errorRate }) => sum + Math.log1p(-errorRate), 0);
    return 0 - Math.expm1(logarithm);
  }

  override clear(): void {
    this[CELLS].clear();
  }

  /**
   * Whether another filter has the same parameters, state and cells, so that both are saved as the same bytes. The
   * engine does not matter.
   *
   * @throws TypeError unless `other` is of the same kind
   */
  equals<F extends LayeredFilter>(this: F, other: Like<F>): boolean {
    const cells = this[CELLS];
    const others = requireSameKind(cells, other);
    const head = writeHead(others.kind, others);
    return (
      writeHead(cells.kind, cells).every((byte, i) => byte === head[i]) &&
      cells.segments.every((region, i) => combine(region, others.segments[i] ?? region, (kernel) => kernel.bits_equal))
    );
  }
}
