import { CHUNK_BYTES } from '../kernel/scratch.ts';
import type { CombinableCells } from './kind.ts';

/**
 * The number of keys at which half of the bits are set, which uses them best: `floor(m · ln 2 / k)`, at least 1.
 */
export function capacityFor(bits: number, hashes: number): number {
  return Math.max(1, Math.floor((bits * Math.LN2) / hashes));
}

/**
 * The number of distinct keys, estimated from the share of cells in use: `−m/k · ln(1 − fill)`. Infinity if all are in
 * use.
 *
 * @see S. J. Swamidass, P. Baldi, Mathematical correction for fingerprint similarity measures, 2007
 */
export function estimateCount(fillRatio: number, cells: number, hashes: number): number {
  return (-cells / hashes) * Math.log1p(-fillRatio);
}

/** An estimated number of distinct keys. */
export interface Estimate {
  /** The estimated number of keys, rarely an integer. */
  readonly count: number;
  /**
   * The standard error of `count`: the true number is within one standard error of `count` in 68 % of all cases, and
   * within two in 95 %.
   */
  readonly standardError: number;
}

/** The number of cells in use in the union of two filters, which is made in the scratch, a part at a time. */
function usedByEither(cells: CombinableCells, { region: { bytes } }: CombinableCells): number {
  const { pointer, instance } = cells.region;
  const { kernel, scratch } = instance;
  const unite = cells.kind.union(kernel);
  let used = 0;
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const part = bytes.subarray(at, at + CHUNK_BYTES);
    scratch.keyBytes.set(part);
    unite(scratch.keys, pointer + at, part.length);
    used += cells.used(scratch.keys, part.length);
  }
  return used;
}

/** The load λ = k n / m, how often hashes have chosen a cell on average, estimated from the number of cells in use. */
function loadOf({ parameters }: CombinableCells, used: number): number {
  return -Math.log1p(-used / parameters.cellCount);
}

/**
 * The covariance of the estimated loads of two filters, times their number of cells, where λ is the load of the keys
 * that both hold: e^λ − 1 − λ, plus (k − 1) λ² / 2w if each hash chooses among the w cells of a word.
 *
 * First let the number of keys be random, with a Poisson distribution. Divided by the shares of free cells, the
 * covariance of one cell being free in both filters is e^λ − 1. For two cells of different words it is e^(λ/w) − 1, or
 * λ/w + λ²/2w², because one key misses both; each cell has (k − 1) w such partners. But the number of keys is fixed,
 * and that takes away k λ.
 */
function covariance({ kind, parameters: { hashes } }: CombinableCells, load: number): number {
  const { wordCells = Infinity } = kind;
  return Math.expm1(load) - load + ((hashes - 1) * load ** 2) / (2 * wordCells);
}

function estimateOf({ parameters: { cellCount, hashes } }: CombinableCells, load: number, variance: number): Estimate {
  return {
    count: (load * cellCount) / hashes,
    standardError: Number.isNaN(variance) ? Infinity : Math.sqrt(cellCount * variance) / hashes,
  };
}

/** Estimates how many keys two filters hold together. */
export function estimateUnion(cells: CombinableCells, others: CombinableCells): Estimate {
  const load = loadOf(cells, usedByEither(cells, others));
  return estimateOf(cells, load, covariance(cells, load));
}

/**
 * Estimates how many keys are in both of two filters, by inclusion and exclusion: |A| + |B| − |A ∪ B|.
 *
 * The covariance of two estimates is c(λ) for the load λ of the keys in both sets, so that of A and A ∪ B is c(A). The
 * sum of all terms is the variance c(A ∪ B) − c(A) − c(B) + 2 c(A ∩ B).
 *
 * @see S. J. Swamidass, P. Baldi, Mathematical correction for fingerprint similarity measures, 2007, for the counts
 */
export function estimateIntersection(cells: CombinableCells, others: CombinableCells): Estimate {
  const one = loadOf(cells, cells.used());
  const other = loadOf(cells, others.used());
  const either = loadOf(cells, usedByEither(cells, others));
  const both = either === Infinity ? NaN : Math.max(0, one + other - either);
  const of = (load: number): number => covariance(cells, load);
  return estimateOf(cells, both, of(either) - (of(one) + of(other)) + 2 * of(both));
}
