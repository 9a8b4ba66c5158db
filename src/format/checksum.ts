import type { Instance } from '../kernel/kernel.ts';
import { hashLongBytes } from '../keys/long.ts';
import { CHECKSUM_AT, HEADER_BYTES } from './header.ts';

/** The body is hashed in pieces of this size; the last may be shorter. */
export const PIECE_BYTES: number = 2 ** 20;

function hashOf(bytes: Uint8Array, instance: Instance): Uint8Array {
  hashLongBytes(bytes, instance, 0);
  return new Uint8Array(instance.memory.buffer, instance.scratch.hashes, 16);
}

/**
 * The checksum of a file: h1 of the hash over its header, with 0 for the checksum, and the hashes of the pieces of its
 * body in order. So the body need not lie in one place.
 */
export class Checksum {
  /** What is hashed in the end. */
  readonly #digest: Uint8Array<ArrayBuffer>;
  #length = HEADER_BYTES;

  constructor(header: Uint8Array, bodyLength: number) {
    this.#digest = new Uint8Array(HEADER_BYTES + 16 * Math.ceil(bodyLength / PIECE_BYTES));
    this.#digest.set(header);
    this.#digest.fill(0, CHECKSUM_AT, HEADER_BYTES);
  }

  /** Takes the next piece. The instance lends its scratch. */
  push(piece: Uint8Array, instance: Instance): void {
    this.#digest.set(hashOf(piece, instance), this.#length);
    this.#length += 16;
  }

  /** The header with the checksum in it. */
  seal(instance: Instance): Uint8Array<ArrayBuffer> {
    const header = this.#digest.slice(0, HEADER_BYTES);
    header.set(hashOf(this.#digest, instance).subarray(0, 8), CHECKSUM_AT);
    return header;
  }
}
