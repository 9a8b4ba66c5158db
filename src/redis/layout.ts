import { BLOCK_BITS, MAX_BLOCKS } from '../kinds/blocked/sizing.ts';
import { isCount } from '../util/checks/received.ts';
import { spreadTags } from './cluster-slots.ts';
import { digestOf } from './hashes.ts';
import { ADD, ADD_ONCE, HAS, type SavedAnswer, type ScriptCall, type Verb } from './scripts.ts';

const BLOCK_BYTES: number = BLOCK_BITS / 8;

/** How the body of a filter is cut into pieces. Each piece is a string in Redis. */
export interface Partition {
  /** The number of blocks per piece; the last piece may have fewer. */
  readonly pieceBlocks: number;
  /** The number of slots over which the pieces are spread in a cluster. */
  readonly groups: number;
}

/** What decides under which keys the bits of a filter are. */
export interface Location extends Partition {
  readonly bits: number;
  /** Random, and part of the keys, so that an earlier filter of the same name has other keys. */
  readonly id: string;
}

/** The most slots over which pieces may be spread. */
export const MAX_SPREAD = 1024;
/** Over how many slots they are spread by default. */
export const DEFAULT_SPREAD = 16;

/** The binary logarithms of the least and the most bytes per piece, before one block is taken off. */
const LEAST = 12;
const MOST = 20;

/**
 * Chooses the largest pieces, of at most 1 MiB, that give `spread` pieces or more. Larger strings would block the
 * server for milliseconds when they are made, deleted or moved. Pieces are one block short of a power of two: Redis
 * adds a few bytes to a string, and its allocator would then take the next size, which is 25 % larger.
 */
export function partitionFor(bits: number, spread: number): Partition {
  const blocks = bits / BLOCK_BITS;
  const blocksOf = (power: number): number => 2 ** power / BLOCK_BYTES - 1;
  let power = MOST;
  while (power > LEAST && blocks / blocksOf(power) < spread) power--;
  const pieceBlocks = blocksOf(power);
  return { pieceBlocks, groups: Math.min(spread, Math.ceil(blocks / pieceBlocks)) };
}

/** Whether a value that Redis had can be an id. */
export function isId(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{16}$/.test(value);
}

/** Whether values that Redis had can be a location. */
export function isLocation({ bits, id, pieceBlocks, groups }: Partial<Location>): boolean {
  const isShape = isCount(pieceBlocks, 1, 2 ** MOST / BLOCK_BYTES) && isCount(groups, 1, MAX_SPREAD);
  return isShape && isCount(bits, BLOCK_BITS, MAX_BLOCKS * BLOCK_BITS) && bits % BLOCK_BITS === 0 && isId(id);
}

/** The most bytes of a piece that a command reads or writes, so that neither the server nor this process stands still. */
const PART_BYTES = 131_072;

/** A part of a filter's body: a string in Redis. */
export interface Piece {
  readonly index: number;
  readonly key: string;
  /** The key of the list of its slot. */
  readonly list: string;
  /** The offset in the body, in bytes. */
  readonly offset: number;
  readonly byteLength: number;
}

/** A part of a piece. */
export interface Part extends Piece {
  /** The offset in the piece, in bytes. */
  readonly start: number;
  /** The length of the piece. */
  readonly pieceLength: number;
}

/** The hash tags of a name. They are the same for all filters of the name, so pieces are found without parameters. */
function tagsOf(name: string, groups: number): string[] {
  return spreadTags(digestOf(name), groups);
}

/** The key of the list of filters with pieces in a slot. */
export function listKey(name: string, tag: string): string {
  return `${name}:{${tag}}:filters`;
}

/**
 * The keys of the lists of a filter in `groups` slots: one in each, and one in each of two slots that are on different
 * masters, so that a small filter, and its parameters, cannot be lost with one master without a trace.
 */
export function listKeys(name: string, groups: number): string[] {
  const tags = [...tagsOf(name, groups), ...tagsOf(name, DEFAULT_SPREAD).slice(0, 2)];
  return [...new Set(tags)].map((tag) => listKey(name, tag));
}

/** The suffix of the field that a list has once all pieces of a filter are made. */
export const WHOLE = '.whole';

/** Keys to add or to look up. */
export interface KeyRequest {
  readonly verb: Verb;
  /** The pieces that they belong to. */
  readonly pieces: readonly number[];
  /** Where to save the answer. */
  readonly saved: SavedAnswer | undefined;
  /** Whether the only piece is named without its list, because they may be on two servers. */
  readonly isAlone: boolean;
}

/** The keys of a filter's bits in Redis. All pieces in a row are the body of the same filter in a file. */
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
  constructor(name: string, { bits, id, pieceBlocks, groups }: Location, prefix = '') {
    this.id = id;
    this.blocks = bits / BLOCK_BITS;
    this.pieceBlocks = pieceBlocks;
    this.groups = groups;
    this.count = Math.ceil(this.blocks / pieceBlocks);
    this.#name = name;
    this.#tags = tagsOf(name, groups);
    this.#prefix = prefix;
  }

  /** The key of a piece. Pieces whose numbers are equal modulo the number of groups are in one slot. */
  key(piece: number): string {
    return this.beside(piece, `${this.id}:${this.#prefix}${piece}`);
  }

  /** A key in the slot of a piece. */
  beside(piece: number, suffix: string): string {
    return `${this.#name}:{${this.#tags[piece % this.groups]}}:${suffix}`;
  }

  /** The key of the list in the slot of a piece. */
  list(piece: number): string {
    return listKey(this.#name, this.#tags[piece % this.groups] as string);
  }

  /** The field of a list that says that all pieces are made. */
  get whole(): string {
    return `${this.id}${WHOLE}`;
  }

  /** What to send about keys in some of the pieces. The call's records say which: 0 is the first of `pieces`. */
  request({ verb, pieces, saved, isAlone }: KeyRequest): ScriptCall {
    const [first = 0] = pieces;
    const keys = pieces.map((piece) => this.key(piece));
    keys.unshift(isAlone ? this.key(first) : this.list(first));
    const field = isAlone ? '' : this.whole;
    if (saved) return { script: ADD_ONCE, keys: [...keys, saved.key], args: [field, ...saved.args] };
    return { script: verb === 'has' ? HAS : ADD, keys, args: [field] };
  }

  *pieces(): Generator<Piece, undefined, undefined> {
    for (let index = 0; index < this.count; index++) {
      const first = index * this.pieceBlocks;
      const blocks = Math.min(this.pieceBlocks, this.blocks - first);
      const offset = first * BLOCK_BYTES;
      yield { index, key: this.key(index), list: this.list(index), offset, byteLength: blocks * BLOCK_BYTES };
    }
  }

  *parts(): Generator<Part, undefined, undefined> {
    for (const piece of this.pieces()) {
      for (let start = 0; start < piece.byteLength; start += PART_BYTES) {
        const byteLength = Math.min(PART_BYTES, piece.byteLength - start);
        yield { ...piece, start, offset: piece.offset + start, byteLength, pieceLength: piece.byteLength };
      }
    }
  }
}
