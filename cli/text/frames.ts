// A file of Zstandard may have several frames, as `cat a.zst b.zst` and parallel compressors make them. Node's stream
// ends with the first one, unless a chunk ends there too, and drops what follows without an error.

import { pipeline, Readable, type Transform } from 'node:stream';
import type { Chunks } from './bytes.ts';

/** Decompresses one frame or more. `bytesWritten` is the number of bytes that it has used. */
export type Unzip = Transform & { readonly bytesWritten: number };

/** Reads chunks ahead, and keeps them until the decompressor has used them. */
export class Ahead {
  readonly #chunks: Chunks;
  /** What follows the bytes that the decompressor has used, as far as it has been read. */
  #kept: Buffer[] = [];
  /** How many bytes the decompressor has used. */
  #used = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(chunks: Chunks) {
    this.#chunks = chunks;
  }

  /** Forgets bytes that were used. Returns how many chunks end with them. */
  #drop({ bytesWritten }: Unzip): number {
    let left = bytesWritten - this.#used;
    let count = 0;
    this.#used = bytesWritten;
    for (let [first] = this.#kept; first && first.length <= left; [first] = this.#kept) {
      left -= first.length;
      this.#kept.shift();
      count++;
    }
    if (this.#kept[0]) this.#kept[0] = this.#kept[0].subarray(left);
    return count;
  }

  async #readNext(): Promise<boolean> {
    try {
      const { value, done } = await this.#chunks.next();
      // A copy, because its memory is used again before it is unzipped.
      if (value) this.#kept.push(Buffer.from(value));
      return !done;
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** The next bytes: at least so many, unless the file ends before. */
  async peek(count: number): Promise<Buffer> {
    const size = (): number => this.#kept.reduce((sum, { length }) => sum + length, 0);
    while (size() < count && (await this.#readNext()));
    const [first = Buffer.alloc(0)] = this.#kept;
    if (first.length >= count) return first;
    const all = Buffer.concat(this.#kept);
    this.#kept = [all];
    return all;
  }

  /** Leaves out bytes that have been peeked at. */
  skip(count: number): void {
    const [first, ...others] = this.#kept;
    const left = first?.subarray(count);
    this.#kept = left?.length ? [left, ...others] : others;
  }

  /** Whether all bytes that are left are 0. Reads them, up to the first one that is not. */
  async isZero(): Promise<boolean> {
    do {
      if (this.#kept.some((chunk) => chunk.some((byte) => byte !== 0))) return false;
      this.#kept = [];
    } while (await this.#readNext());
    return true;
  }

  async *#read(unzip: Unzip): Chunks {
    for (let next = 0; ; next++) {
      next -= this.#drop(unzip);
      if (next === this.#kept.length && !(await this.#readNext())) return;
      yield this.#kept[next] as Buffer;
    }
  }

  /** Unzips what comes next. Returns whether anything is left that has been read. */
  async *unzip(unzip: Unzip): AsyncGenerator<Uint8Array, boolean, undefined> {
    this.#used = 0;
    const source = this.#read(unzip);
    // Errors of both streams surface when `unzip` is read.
    pipeline(Readable.from(source, { objectMode: false }), unzip, () => {});
    yield* unzip;
    // It may be waiting for a chunk, which must not be lost.
    await source.return();
    if (this.#failure) throw this.#failure.error;
    this.#drop(unzip);
    return this.#kept.length > 0;
  }
}

/**
 * Unzips all frames.
 *
 * @param open makes a decompressor
 */
export async function* unzipFrames(chunks: Chunks, open: () => Unzip): Chunks {
  const ahead = new Ahead(chunks);
  try {
    while (yield* ahead.unzip(open()));
  } finally {
    // Not awaited, because that would wait for a chunk that is being read, which may never come.
    chunks.return().catch(() => {});
  }
}
