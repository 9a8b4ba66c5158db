const NEWLINE = 10;

/**
 * The most bytes passed to a filter at once, unless a single line is longer: some milliseconds of work on either
 * engine.
 */
const SLICE_BYTES: number = 64 * 1024;

const NOTHING = new Uint8Array(0);

/** Cuts a text that comes in chunks into pieces of whole lines. */
export class LineCutter {
  /** The beginning of an incomplete line, and room for more. A copy, because a chunk's memory may be reused. */
  #line = NOTHING;
  #length = 0;

  /**
   * Yields the text up to the last newline of the chunk: first the line that earlier chunks began, then slices of this
   * chunk, without copying. If no line ends in a slice, yields an empty array, so that the caller can pause there too.
   */
  *cut(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
    const { length } = chunk;
    for (let from = 0; from < length; ) {
      const slice = chunk.subarray(from, from + SLICE_BYTES);
      const end = 1 + (this.#length > 0 ? slice.indexOf(NEWLINE) : slice.lastIndexOf(NEWLINE));
      from += end || slice.length;
      if (this.#length > 0 || end === 0) this.#append(slice.subarray(0, end || slice.length));
      if (end === 0) yield NOTHING;
      else yield this.#length > 0 ? this.rest() : slice.subarray(0, end);
    }
  }

  #append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#line.length) {
      // Doubled, so that a line of many chunks is not copied for each chunk.
      const longer = new Uint8Array(Math.max(length, 2 * this.#line.length));
      longer.set(this.#line.subarray(0, this.#length));
      this.#line = longer;
    }
    this.#line.set(bytes, this.#length);
    this.#length = length;
  }

  /** Removes and returns the text after the last newline. */
  rest(): Uint8Array {
    const rest = this.#line.subarray(0, this.#length);
    this.#line = NOTHING;
    this.#length = 0;
    return rest;
  }
}
