import type { Instance } from '../kernel/kernel.ts';
import { hashLongBytes } from '../keys/long.ts';
import { CHECKSUM_AT, HEADER_BYTES } from './header.ts';

/** Each segment of the body is hashed in pieces of this many bytes; the last piece of a segment may be shorter. */
export const PIECE_BYTES: number = 2 ** 20;

function hashOf(bytes: Uint8Array, instance: Instance): Uint8Array {
  hashLongBytes(bytes, instance, 0);
  return new Uint8Array(instance.memory.buffer, instance.scratch.hashes, 16);
}

/**
 * Computes the checksum of a file: h1 of the hash of the head, with 0 in place of the checksum, followed by the hashes
 * of the body's pieces in order. Hashing piece by piece allows the body to arrive in chunks and to lie in several
 * memories.
 */
export class Checksum {
  /** The bytes whose hash is the checksum. */
  readonly #digest: Uint8Array<ArrayBuffer>;
  readonly #headLength: number;
  #length: number;

  /**
   * @param head what precedes the body
   * @param lengths the byte length of each segment of the body
   */
  constructor(head: Uint8Array, lengths: readonly number[]) {
    const pieces = lengths.reduce((count, length) => count + Math.ceil(length / PIECE_BYTES), 0);
    this.#headLength = head.length;
    this.#length = head.length;
    this.#digest = new Uint8Array(head.length + 16 * pieces);
    this.#digest.set(head);
    this.#digest.fill(0, CHECKSUM_AT, HEADER_BYTES);
  }

  /** Hashes the next piece. Uses the scratch of the instance. */
  push(piece: Uint8Array, instance: Instance): void {
    this.#digest.set(hashOf(piece, instance), this.#length);
    this.#length += 16;
  }

  /** Returns the head with the checksum in it. Uses the scratch of the instance. */
  seal(instance: Instance): Uint8Array<ArrayBuffer> {
    const head = this.#digest.slice(0, this.#headLength);
    head.set(hashOf(this.#digest, instance).subarray(0, 8), CHECKSUM_AT);
    return head;
  }
}
