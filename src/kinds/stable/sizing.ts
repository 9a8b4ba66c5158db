import { mustBe, requireInteger, requireRate, showRounded } from '../../util/checks/validate.ts';
import { LEAST_ERROR_RATE, MAX_HASHES } from '../classic/sizing.ts';

const MAX_CELLS: number = Number.MAX_SAFE_INTEGER;
export const DEFAULT_CELL_BITS = 2;
/** The number of hashes with which keys are remembered longest, as a multiple of log₂ 1/p, by the bits per cell. */
const HASHES_PER_BIT: Readonly<Record<number, number>> = { 1: 0.5, 2: 0.65, 4: 0.9, 8: 0.9 };
/** The share of keys that are still remembered when `capacity` keys have been added after them. */
const REMEMBERED = 0.9;

/** The size of a stable filter. */
export interface StableSize {
  readonly cells: number;
  readonly cellBits: number;
  readonly hashes: number;
  readonly decrements: number;
}

/** Whether a cell can have `bits` bits: whole cells must fill a byte. */
export function isCellBits(bits: number): boolean {
  return bits in HASHES_PER_BIT;
}

/** Returns the number of bits per cell if a filter can have it; else throws. */
export function requireCellBits(bits: unknown): number {
  const given = requireInteger('cellBits', bits, 1, 8);
  if (isCellBits(given)) return given;
  throw new RangeError(mustBe('cellBits', '1, 2, 4 or 8', bits));
}

export function requireCells(cells: unknown): number {
  return requireInteger('cells', cells, 1, MAX_CELLS);
}

export function requireHashes(hashes: unknown): number {
  return requireInteger('hashes', hashes, 1, MAX_HASHES);
}

export function requireDecrements(decrements: unknown, cells: number): number {
  return requireInteger('decrements', decrements, 1, cells);
}

const mostOf = (cellBits: number): number => 2 ** cellBits - 1;

/** 1/K − 1/m, or 0 if a key may set all cells. */
const setShareOf = (cells: number, hashes: number): number => Math.max(0, 1 / hashes - 1 / cells);

/**
 * The error rate that a stable filter approaches, from below, as keys are added: `(1 − z)^K`, where
 * `z = (1 / (1 + 1 / (P (1/K − 1/m))))^(2^d − 1)` is the share of cells that are 0. It is a mean: the rate of a filter
 * of 10,000 cells wavers by some percent of it.
 *
 * @param cells the number of cells m, 1 … 2^53 − 1
 * @param cellBits the number of bits per cell d: 1, 2, 4 or 8
 * @param hashes the number of cells K that each key sets, 1 … 255
 * @param decrements the number of cells P from which each key takes 1, 1 … m
 * @returns the share of absent keys that look present, 0 … 1
 * @throws TypeError if an argument is not a number; RangeError if it is out of range
 * @see F. Deng, D. Rafiei, Approximately Detecting Duplicates for Streaming Data using Stable Bloom Filters, 2006, §4
 */
export function expectedStableErrorRate(cells: number, cellBits: number, hashes: number, decrements: number): number {
  const most = mostOf(requireCellBits(cellBits));
  const ratio = requireDecrements(decrements, requireCells(cells)) * setShareOf(cells, requireHashes(hashes));
  return (-Math.expm1(-most * Math.log1p(1 / ratio))) ** hashes;
}

/** The least number of decrements that keeps the error rate; Infinity if even all cells are too few. */
function decrementsFor(cells: number, cellBits: number, hashes: number, errorRate: number): number {
  const logZeros = Math.log1p(-(errorRate ** (1 / hashes)));
  const decrements = Math.max(1, Math.ceil(1 / (Math.expm1(-logZeros / mostOf(cellBits)) * setShareOf(cells, hashes))));
  return decrements <= cells ? decrements : Infinity;
}

/**
 * The smallest number of decrements with which a stable filter of this size keeps an error rate:
 * `ceil(1 / (((1 − p^(1/K))^(−1 / (2^d − 1)) − 1) (1/K − 1/m)))`.
 *
 * @param cells the number of cells m, 1 … 2^53 − 1
 * @param cellBits the number of bits per cell d: 1, 2, 4 or 8
 * @param hashes the number of cells K that each key sets, 1 … 255
 * @param errorRate the share p of absent keys that look present, 0 < p < 1
 * @returns 1 … m
 * @throws TypeError if an argument is not a number; RangeError if it is out of range, or if so few cells cannot keep
 *   the rate
 * @see F. Deng, D. Rafiei, Approximately Detecting Duplicates for Streaming Data using Stable Bloom Filters, 2006, §4
 */
export function optimalStableDecrements(cells: number, cellBits: number, hashes: number, errorRate: number): number {
  requireCellBits(cellBits);
  requireCells(cells);
  requireHashes(hashes);
  const decrements = decrementsFor(cells, cellBits, hashes, requireRate('errorRate', errorRate));
  if (decrements <= cells) return decrements;
  throw new RangeError(
    `cells must be more to keep errorRate ${showRounded(errorRate)} with ${hashes} hashes, got ${cells}`,
  );
}

/**
 * How often each cell may be decremented, on average, until a key is remembered with a probability of 90 %. The number
 * of decrements of a cell is a Poisson variable, and a key is remembered while none of its cells has been decremented
 * as often as its maximum. Other keys may set the cells again, which is not counted.
 */
function wearOf(cellBits: number, hashes: number): number {
  const most = mostOf(cellBits);
  const lives = (mean: number): boolean => {
    let term = Math.exp(-mean);
    let sum = 0;
    for (let i = 0; i < most; term *= mean / ++i) sum += term;
    return sum ** hashes >= REMEMBERED;
  };
  let [low, high] = [0, most];
  for (let halvings = 0; halvings < 50; halvings++) {
    const middle = (low + high) / 2;
    if (lives(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** How many additions later a key is still remembered with a probability of at least 90 %; at least 1. */
export function stableCapacity({ cells, cellBits, hashes, decrements }: StableSize): number {
  return Math.max(1, Math.floor((cells * wearOf(cellBits, hashes)) / decrements));
}

/**
 * The size of a `StableBloomFilter`: the smallest number of cells with which it keeps the error rate and remembers at
 * least 90 % of the keys that were added `capacity` keys ago, with the hashes and decrements for that.
 *
 * @param capacity the number of keys added after them, 1 … 2^53 − 1
 * @param errorRate the share p of absent keys that look present, 2^-255 ≤ p < 1
 * @param cellBits the number of bits per cell d: 1, 2, 4 or 8; default 2
 * @throws TypeError if an argument is not a number; RangeError if it is out of range or the result exceeds 2^52 cells
 */
export function optimalStableSize(
  capacity: number,
  errorRate: number,
  cellBits: number = DEFAULT_CELL_BITS,
): StableSize {
  requireCellBits(cellBits);
  requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
  requireRate('errorRate', errorRate);
  if (errorRate < LEAST_ERROR_RATE)
    throw new RangeError(`errorRate must be at least 2^-${MAX_HASHES}, got ${showRounded(errorRate)}`);
  const hashes = Math.max(1, Math.round(-(HASHES_PER_BIT[cellBits] as number) * Math.log2(errorRate)));
  const wear = wearOf(cellBits, hashes);
  const keeps = (cells: number): boolean =>
    capacity * decrementsFor(cells, cellBits, hashes, errorRate) <= cells * wear;
  let [tooFew, cells] = [0, 1];
  while (!keeps(cells)) {
    if (cells > MAX_CELLS / 2) {
      throw new RangeError(`capacity ${capacity} at errorRate ${showRounded(errorRate)} needs more than 2^52 cells`);
    }
    [tooFew, cells] = [cells, 2 * cells];
  }
  while (cells - tooFew > 1) {
    const middle = Math.floor((tooFew + cells) / 2);
    if (keeps(middle)) cells = middle;
    else tooFew = middle;
  }
  return { cells, cellBits, hashes, decrements: decrementsFor(cells, cellBits, hashes, errorRate) };
}
