import type { Instance } from '../kernel/kernel.ts';
import { CHUNK_BYTES } from '../kernel/scratch.ts';

/** What is kept of keys that lie one behind the other in one array of bytes. */
export class KeptBytes {
  readonly #bytes: Uint8Array;
  #kept: Uint8Array<ArrayBuffer> | undefined;
  length = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  #push(bytes: Uint8Array): void {
    if (this.#kept === undefined) {
      // Of a short text this is all there will be.
      this.#kept = bytes.slice();
    } else {
      if (this.#kept.length < this.#bytes.length) {
        // Of a large new array the system lends only the pages that are written.
        const longer = new Uint8Array(this.#bytes.length);
        longer.set(this.#kept);
        this.#kept = longer;
      }
      this.#kept.set(bytes, this.length);
    }
    this.length += bytes.length;
  }

  /**
   * Keeps those of the chunk's `count` keys whose flag is `wanted`: the chunk is the bytes from `from` to `to`, and lies
   * in the scratch unless it is one key too long for that. `each` is told where in what is kept each of them ends.
   */
  keep(
    { kernel, scratch }: Instance,
    from: number,
    to: number,
    count: number,
    wanted: number,
    each?: (end: number) => void,
  ): void {
    if (to - from > CHUNK_BYTES) {
      if (scratch.flagBytes[0] !== wanted) return;
      this.#push(this.#bytes.subarray(from, to));
      each?.(this.length);
      return;
    }
    const kept = kernel.keep_packed(scratch.keys, scratch.ends, count, scratch.flags, wanted);
    const before = this.length;
    const ends = scratch.endValues.subarray(0, kept);
    this.#push(scratch.keyBytes.subarray(0, ends.at(-1) ?? 0));
    if (each) for (const end of ends) each(before + end);
  }

  take(): Uint8Array<ArrayBuffer> {
    const kept = this.#kept ?? new Uint8Array(0);
    return kept.length === this.length ? kept : kept.slice(0, this.length);
  }
}
