import type { Instance } from '../kernel/instance.ts';
import { hashLongBytes } from '../keys/encode.ts';
import { withRoom } from '../util/with-room.ts';
import { CHECKSUM_AT, HEADER_BYTES } from './header.ts';

/** Each segment of the body is hashed in parts of this many bytes; the last part of a segment may be shorter. */
export const PART_BYTES: number = 2 ** 20;

function hashOf(bytes: Uint8Array, instance: Instance): Uint8Array {
  hashLongBytes(bytes, instance, 0);
  return new Uint8Array(instance.memory.buffer, instance.scratch.hashes, 16);
}

/**
 * Computes the checksum of a file: h1 of the hash of the head, with 0 in place of the checksum, followed by the hashes
 * of the body's parts in order. Hashing part by part allows the body to arrive in chunks and to lie in several
 * memories.
 */
export class Checksum {
  /** The bytes whose hash is the checksum. */
  #digest: Uint8Array<ArrayBuffer>;
  readonly #headLength: number;
  /** The length of the head and the hashes pushed so far. */
  #length: number;

  /** @param head what precedes the body */
  constructor(head: Uint8Array) {
    this.#headLength = head.length;
    this.#length = head.length;
    this.#digest = head.slice();
    this.#digest.fill(0, CHECKSUM_AT, HEADER_BYTES);
  }

  /** Hashes the next part. Uses the scratch of the instance. */
  push(part: Uint8Array, instance: Instance): void {
    // Not made for the whole body at once, because a false header may claim a huge one.
    this.#digest = withRoom(this.#digest, this.#length + 16);
    this.#digest.set(hashOf(part, instance), this.#length);
    this.#length += 16;
  }

  /** Whether the part at `index` is unchanged since `push`. Uses the scratch of the instance. */
  confirms(index: number, part: Uint8Array, instance: Instance): boolean {
    const at = this.#headLength + 16 * index;
    return hashOf(part, instance).every((byte, i) => byte === this.#digest[at + i]);
  }

  /** Returns the head with the checksum in it. Uses the scratch of the instance. */
  seal(instance: Instance): Uint8Array<ArrayBuffer> {
    const head = this.#digest.slice(0, this.#headLength);
    head.set(hashOf(this.#digest.subarray(0, this.#length), instance).subarray(0, 8), CHECKSUM_AT);
    return head;
  }
}
