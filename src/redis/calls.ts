import { WORDS } from '../kinds/blocked/sizing.ts';
import type { Layout } from './layout.ts';

/** The most keys of a call. More would keep other clients waiting for a millisecond. */
const CALL_KEYS = 128;
const RECORD_BYTES: number = 4 + WORDS;

/** The constants that derive a key's bit in each word. They are Parquet's, and the format depends on them. */
const SALTS: Int32Array = /* @__PURE__ */ Int32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31,
);

/** The block of a key: the high half of the product of its hash's high word and the number of blocks. */
function blockOf(high: number, blocks: number): number {
  // Two products, each below 2^53.
  return Math.floor((high * Math.floor(blocks / 65536) + Math.floor((high * (blocks % 65536)) / 65536)) / 65536);
}

/** Keys that are sent together, as records for the scripts. */
export class Call {
  /** The pieces that the records are about. */
  readonly pieces: number[];
  /** The position of each key among all keys. */
  readonly positions: number[];
  readonly #records: Uint8Array<ArrayBuffer>;

  constructor(pieces: number[] = [], positions: number[] = [], records = new Uint8Array(RECORD_BYTES * CALL_KEYS)) {
    this.pieces = pieces;
    this.positions = positions;
    this.#records = records;
  }

  get length(): number {
    return this.positions.length;
  }

  get records(): Uint8Array {
    return this.#records.subarray(0, RECORD_BYTES * this.length);
  }

  push(piece: number, block: number, low: number, position: number): void {
    let index = this.pieces.lastIndexOf(piece);
    if (index < 0) index = this.pieces.push(piece) - 1;
    const records = this.#records;
    let at = RECORD_BYTES * this.length;
    records[at++] = index;
    records[at++] = index >> 8;
    records[at++] = block;
    records[at++] = block >> 8;
    for (const salt of SALTS) records[at++] = Math.imul(low, salt) >>> 27;
    this.positions.push(position);
  }

  /** Divides the call into one for each piece. */
  byPiece(): Call[] {
    const parts = this.pieces.map((piece) => new Call([piece]));
    for (const [i, position] of this.positions.entries()) {
      const record = this.#records.subarray(RECORD_BYTES * i, RECORD_BYTES * (i + 1));
      const [low = 0, high = 0] = record;
      (parts[low + 256 * high] as Call).#append(record.subarray(2), position);
    }
    return parts.filter(({ length }) => length > 0);
  }

  /** Appends a record for piece 0; `record` leaves out the index of the piece. */
  #append(record: Uint8Array, position: number): void {
    this.#records.set(record, RECORD_BYTES * this.length + 2);
    this.positions.push(position);
  }

  /** A call with the keys from index `first` on. */
  from(first: number): Call {
    return new Call(this.pieces, this.positions.slice(first), this.#records.subarray(RECORD_BYTES * first));
  }
}

/**
 * Divides keys into calls.
 *
 * @param split whether a call may have keys of one slot only, as in a cluster
 * @param most the most keys of a call, if that is less than a call can have
 * @param known a flag for each key: 1 leaves it out
 */
export function planCalls(
  hashes: Uint32Array,
  layout: Layout,
  split: boolean,
  most: number,
  known?: Uint8Array,
): Call[] {
  const full = Math.min(most, CALL_KEYS);
  const { blocks, pieceBlocks, groups } = layout;
  const calls: Call[] = [];
  /** For each group, the call that takes its next keys. */
  const open: (Call | undefined)[] = [];
  for (let i = 0; i < hashes.length; i += 2) {
    if (known?.[i / 2] === 1) continue;
    const block = blockOf(hashes[i + 1] ?? 0, blocks);
    const piece = Math.floor(block / pieceBlocks);
    const group = split ? piece % groups : 0;
    let call = open[group];
    if (call === undefined || call.length === full) {
      call = new Call();
      open[group] = call;
      calls.push(call);
    }
    call.push(piece, block - piece * pieceBlocks, hashes[i] ?? 0, i / 2);
  }
  return calls;
}
