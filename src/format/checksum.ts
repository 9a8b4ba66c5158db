import type { Instance } from '../kernel/kernel.ts';
import { hashLongBytes } from '../keys/long.ts';
import { CHECKSUM_AT, HEADER_BYTES } from './header.ts';

/** Each segment of the body is hashed in pieces of this size; its last piece may be shorter. */
export const PIECE_BYTES: number = 2 ** 20;

function hashOf(bytes: Uint8Array, instance: Instance): Uint8Array {
  hashLongBytes(bytes, instance, 0);
  return new Uint8Array(instance.memory.buffer, instance.scratch.hashes, 16);
}

/**
 * The checksum of a file: h1 of the hash over what stands before the body, with 0 for the checksum, and the hashes of the
 * body's pieces in order. So the body may come in pieces, and lie in several memories.
 */
export class Checksum {
  /** The bytes whose hash is the checksum. */
  readonly #digest: Uint8Array<ArrayBuffer>;
  readonly #headLength: number;
  #length: number;

  /** @param lengths those of the body's segments, in bytes */
  constructor(head: Uint8Array, lengths: readonly number[]) {
    const pieces = lengths.reduce((count, length) => count + Math.ceil(length / PIECE_BYTES), 0);
    this.#headLength = head.length;
    this.#length = head.length;
    this.#digest = new Uint8Array(head.length + 16 * pieces);
    this.#digest.set(head);
    this.#digest.fill(0, CHECKSUM_AT, HEADER_BYTES);
  }

  /** Takes the next piece. The instance lends its scratch. */
  push(piece: Uint8Array, instance: Instance): void {
    this.#digest.set(hashOf(piece, instance), this.#length);
    this.#length += 16;
  }

  /** What stands before the body, with the checksum in it. */
  seal(instance: Instance): Uint8Array<ArrayBuffer> {
    const head = this.#digest.slice(0, this.#headLength);
    head.set(hashOf(this.#digest, instance).subarray(0, 8), CHECKSUM_AT);
    return head;
  }
}
