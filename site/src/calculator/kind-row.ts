// What the calculator knows of a kind of filter. Each kind is one row of this type, in kinds.ts.

import type { Tone } from '../../../tools/colors.ts';

/** The size of a filter. */
export interface Shape {
  readonly cells: number;
  readonly cellBits: number;
  readonly hashes: number;
  /** The keys that were removed, which are kept beside the cells. */
  readonly removed?: number;
}

/** What happens when more keys come than the capacity. */
export type Past = 'errs' | 'refuses' | 'grows' | 'forgets' | 'complete';

/** How a filter is made of a size, in kinds that can be. */
export interface Sizing {
  /** The filter for `capacity` keys that takes at most `bits` bits, or the smallest one. */
  shapeOf(bits: number, capacity: number, hashes?: number): Shape;
  /** The options of the constructor for a given size. */
  options(shape: Shape): Readonly<Record<string, number>>;
}

/** A kind, with the formulas for its sizes. */
export interface KindRow {
  readonly kind: string;
  readonly className: string;
  /** Its color in all charts. */
  readonly color: Tone;
  /** The entry of the package that exports the class. */
  readonly entry: string;
  /** The part of docs/kinds.html about it. */
  readonly anchor: string;
  /** What the kind is best for, in a few words. */
  readonly bestFor: string;
  /** When to take the kind, in a sentence or two. */
  readonly why: string;
  /** How the size follows, as a formula: m bits, n keys, error rate p. */
  readonly formula: string;
  readonly past: Past;
  readonly removes: boolean;
  /** The cache lines that a lookup of a present key touches, for a number of hashes. */
  lines(hashes: number): string;
  /** Whether the number of hashes can be chosen. */
  readonly choosesHashes: boolean;
  /** The least error rate, and the kind to take for lower ones, if there is one. */
  readonly leastRate: number;
  readonly rarer?: string;
  /** The most keys of a filter of any size. */
  readonly mostKeys: number;
  /** The bits of memory that building takes for each cell, besides the filter. */
  readonly buildBits: number;
  /** Whether its curve of bits per key is drawn only when it is the chosen kind. */
  readonly isDrawnAlone?: boolean;
  /** Whether it takes so many bits that, beside its whole curve, those of the other kinds would look like one line. */
  readonly leavesPlot?: boolean;
  /** Options besides those of the promise or the size. */
  readonly moreOptions?: Readonly<Record<string, number>>;
  /** Whether `bloomery build` makes such filters. */
  readonly hasCommand: boolean;
  /** The class that does the same in Redis. There, all filters are blocked ones. */
  readonly redis?: 'RedisBloomFilter' | 'RotatingRedisBloomFilter';
  /** The lines that make and use a filter, for kinds that differ in that. `options` is an object literal. */
  code?(options: string): string;
  /** The bytes of a saved file besides the cells. */
  readonly headerBytes: number;
  /**
   * The smallest filter that holds `capacity` keys at `errorRate`.
   *
   * @throws RangeError if the library has no such filter, even with unlimited memory
   */
  shapeFor(capacity: number, errorRate: number, hashes?: number): Shape;
  /** The expected error rate with `count` keys; undefined for a kind that keeps its rate. */
  readonly rateAt?: (count: number, shape: Shape) => number;
  /** Undefined for a kind that is made of a capacity and an error rate only. */
  readonly sizing?: Sizing;
}

/** The bytes of a removed key in a file. */
const REMOVED_BYTES = 16;
/** The cells of the smallest table of removed keys, and of the largest that grows by half. */
const [LEAST_CELLS, MOST_CELLS] = [16, 2 ** 15];
/** What such a table has besides its cells. */
const TABLE_BYTES = 134;
/** How full larger ones are, on average. */
const MEAN_FILL = 0.6;

/** The memory of a table of removed keys: see src/kinds/fingerprint-set/table.ts. */
function removedBytes(removed: number | undefined): number {
  if (removed === undefined) return 0;
  let cells = LEAST_CELLS;
  while (Math.floor((7 / 8) * (cells - Math.min(128, Math.ceil(cells / 8)))) < removed) cells = Math.ceil(1.5 * cells);
  return cells <= MOST_CELLS ? TABLE_BYTES + REMOVED_BYTES * cells : Math.ceil((REMOVED_BYTES * removed) / MEAN_FILL);
}

/** The bits of memory that a filter takes. */
export function bitsOf({ cells, cellBits, removed }: Shape): number {
  return cells * cellBits + 8 * removedBytes(removed);
}

/** The same in bytes. */
export function bytesOf(shape: Shape): number {
  return Math.ceil(bitsOf(shape) / 8);
}

/** The bytes of its saved file. */
export function fileBytesOf({ headerBytes }: KindRow, { cells, cellBits, removed = 0 }: Shape): number {
  return headerBytes + Math.ceil((cells * cellBits) / 8) + 64 * Math.ceil((REMOVED_BYTES * removed) / 64);
}

/** The smallest filter for a promise; undefined if the library has none, even with unlimited memory. */
export function shapeIfPossible(row: KindRow, capacity: number, errorRate: number): Shape | undefined {
  try {
    return row.shapeFor(capacity, errorRate);
  } catch {
    return undefined;
  }
}

/** Whether keys can be added after the filter was made. */
export function takesKeys({ past }: KindRow): boolean {
  return past !== 'complete';
}
