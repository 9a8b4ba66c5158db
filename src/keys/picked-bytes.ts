import type { Instance } from '../kernel/instance.ts';
import { CHUNK_BYTES } from '../kernel/scratch.ts';
import { EMPTY, trimmed, withRoom } from '../util/with-room.ts';

/** Collects the bytes of the kept keys among keys that lie one after another in one array. */
export class KeptBytes {
  readonly #bytes: Uint8Array;
  #kept = EMPTY;
  length = 0;
  /** The number of kept keys. */
  count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  #push(bytes: Uint8Array): void {
    // At first a copy without room, because a short text has only one chunk; then room for the whole text, which is cheap,
    // because untouched pages cost nothing.
    const size = this.length > 0 ? this.#bytes.length : bytes.length;
    this.#kept = withRoom(this.#kept, size, size);
    this.#kept.set(bytes, this.length);
    this.length += bytes.length;
  }

  /**
   * Keeps the keys of a chunk whose flag is `wanted`. The chunk is `count` keys in the bytes from `from` to `to`. The
   * scratch holds a copy of them, except of a single key that is too long for it. Calls `each` with the end of each
   * kept key among all kept bytes.
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
      this.count++;
      each?.(this.length);
      return;
    }
    const kept = kernel.keep_packed(scratch.keys, scratch.ends, count, scratch.flags, wanted);
    const before = this.length;
    this.count += kept;
    const ends = scratch.endValues.subarray(0, kept);
    this.#push(scratch.keyBytes.subarray(0, ends.at(-1) ?? 0));
    if (each) for (const end of ends) each(before + end);
  }

  take(): Uint8Array<ArrayBuffer> {
    return trimmed(this.#kept, this.length);
  }
}
