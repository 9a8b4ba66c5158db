/** Longer texts, which are single lines, are passed on as they are. */
const MOST_BYTES = 2 ** 20;

/** Joins small parts of a text, so that they can be written at once. */
export class Gatherer {
  #memory = new Uint8Array(0);

  /**
   * Yields all parts as one, unless they are empty, and also those before an error. What it yields is valid until the
   * next call, which uses the memory again.
   *
   * @param most no fewer bytes than there are in all parts
   */
  *gather(parts: Iterable<Uint8Array>, most: number): Generator<Uint8Array, void, undefined> {
    if (most > MOST_BYTES) {
      yield* parts;
      return;
    }
    if (most > this.#memory.length) this.#memory = new Uint8Array(most);
    let length = 0;
    try {
      for (const part of parts) {
        this.#memory.set(part, length);
        length += part.length;
      }
    } finally {
      if (length > 0) yield this.#memory.subarray(0, length);
    }
  }
}
