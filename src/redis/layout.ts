import { BLOCK_BITS } from '../sizing-blocked.ts';
import { spreadTags } from './slots.ts';

const BLOCK_BYTES: number = BLOCK_BITS / 8;

/** How the body of a filter is cut into pieces, each a string in Redis. */
export interface Shape {
  /** The number of blocks per piece; the last piece may have fewer. */
  readonly pieceBlocks: number;
  /** The number of slots over which the pieces are spread in a cluster. */
  readonly groups: number;
}

/** What determines where the bits of a filter are. */
export interface Placed extends Shape {
  readonly bits: number;
  /** Distinguishes the keys of this filter from those of an earlier one of the same name. */
  readonly id: string;
}

/** The most slots over which pieces may be spread. */
export const MAX_SPREAD = 1024;

/** The binary logarithms of the least and the most bytes per piece, before one block is taken off. */
const LEAST = 12;
const MOST = 20;

/**
 * Chooses the largest pieces, of at most 1 MiB, that give `spread` pieces or more. Larger strings would block the
 * server for milliseconds when they are made, deleted or moved. Pieces are one block short of a power of two: Redis
 * adds a few bytes to a string, and its allocator would then take the next size, which is 25 % larger.
 */
export function shapeFor(bits: number, spread: number): Shape {
  const blocks = bits / BLOCK_BITS;
  const blocksOf = (power: number): number => 2 ** power / BLOCK_BYTES - 1;
  let power = MOST;
  while (power > LEAST && blocks / blocksOf(power) < spread) power--;
  const pieceBlocks = blocksOf(power);
  return { pieceBlocks, groups: Math.min(spread, Math.ceil(blocks / pieceBlocks)) };
}

/** Whether what Redis keeps can say where bits are. */
export function isPlaced({ bits = 0, id = '', pieceBlocks = 0, groups = 0 }: Partial<Placed>): boolean {
  const isCount = (value: number, limit: number): boolean => Number.isSafeInteger(value) && value > 0 && value <= limit;
  const isShape = isCount(pieceBlocks, 2 ** MOST / BLOCK_BYTES) && isCount(groups, MAX_SPREAD);
  return isShape && isCount(bits / BLOCK_BITS, 2 ** 32) && typeof id === 'string' && /^[0-9a-f]{16}$/.test(id);
}

/** A part of a filter's body. */
export interface Piece {
  readonly key: string;
  /** The offset in the body, in bytes. */
  readonly offset: number;
  readonly byteLength: number;
}

/** Where the bits of a filter are in Redis. The pieces laid end to end are the body of the same filter in a file. */
export class Layout {
  readonly id: string;
  readonly blocks: number;
  readonly pieceBlocks: number;
  readonly groups: number;
  readonly count: number;
  readonly #name: string;
  readonly #tags: readonly string[];
  readonly #prefix: string;

  /** @param prefix begins the last part of each key */
  constructor(name: string, { bits, id, pieceBlocks, groups }: Placed, prefix = '') {
    this.id = id;
    this.blocks = bits / BLOCK_BITS;
    this.pieceBlocks = pieceBlocks;
    this.groups = groups;
    this.count = Math.ceil(this.blocks / pieceBlocks);
    this.#name = name;
    this.#tags = spreadTags(id, groups);
    this.#prefix = prefix;
  }

  /** The key of a piece. The pieces of a group, p modulo the number of groups, are in one slot. */
  key(piece: number): string {
    return this.beside(piece, `${this.#prefix}${piece}`);
  }

  /** A key in the slot of a piece. */
  beside(piece: number, suffix: string): string {
    return `${this.#name}:{${this.#tags[piece % this.groups]}}:${suffix}`;
  }

  *pieces(): Generator<Piece, undefined, undefined> {
    for (let piece = 0; piece < this.count; piece++) {
      const first = piece * this.pieceBlocks;
      const blocks = Math.min(this.pieceBlocks, this.blocks - first);
      yield { key: this.key(piece), offset: first * BLOCK_BYTES, byteLength: blocks * BLOCK_BYTES };
    }
  }
}
