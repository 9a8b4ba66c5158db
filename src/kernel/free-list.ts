// Which parts of a memory are free. Kept outside of it, in JavaScript: filters are made and dropped seldom, and the allocator
// that comes with AssemblyScript is 540 bytes of every page's download.

interface Part {
  readonly start: number;
  readonly end: number;
  /** Its place in its bin. */
  index: number;
}

/** In the bin of its own length, so many parts are looked at: some are too short. Any in the bins above is long enough. */
const TRIES = 4;

/** The number of the bin for parts of this length, below 2^32: there are eight for each power of two. */
function binOf(length: number): number {
  const bits = 31 - Math.clz32(length);
  return 8 * bits + ((length / 2 ** (bits - 3)) & 7);
}

/** Parts of a memory, from some address up. Neighbors that are free are one part. */
export class FreeList {
  readonly #byStart = new Map<number, Part>();
  readonly #byEnd = new Map<number, Part>();
  /** Where parts begin, by their lengths. */
  readonly #bins: readonly number[][] = Array.from({ length: 256 }, () => []);
  /** All is free from here on. */
  #top: number;

  constructor(start: number) {
    this.#top = start;
  }

  #add(start: number, end: number): void {
    const bin = this.#bins[binOf(end - start)] as number[];
    const part = { start, end, index: bin.length };
    bin.push(start);
    this.#byStart.set(start, part);
    this.#byEnd.set(end, part);
  }

  #remove({ start, end, index }: Part): void {
    const bin = this.#bins[binOf(end - start)] as number[];
    const last = bin.pop() as number;
    // The last one takes its place, unless it is the one.
    if (index < bin.length) {
      bin[index] = last;
      (this.#byStart.get(last) as Part).index = index;
    }
    this.#byStart.delete(start);
    this.#byEnd.delete(end);
  }

  /** Takes a part of this length and returns where it begins. There always is one, if beyond the memory. */
  take(length: number): number {
    const own = binOf(length);
    const fits = (start: number): boolean => (this.#byStart.get(start) as Part).end - start >= length;
    const found =
      this.#bins[own]?.slice(-TRIES).find(fits) ?? this.#bins.find((bin, i) => i > own && bin.length > 0)?.at(-1);
    const part = this.#byStart.get(found as number);
    if (part) {
      this.#remove(part);
      if (part.start + length < part.end) this.#add(part.start + length, part.end);
      return part.start;
    }
    const start = this.#top;
    this.#top += length;
    return start;
  }

  /** Gives back a part that `take` returned. */
  release(start: number, length: number): void {
    const before = this.#byEnd.get(start);
    const after = this.#byStart.get(start + length);
    if (before) this.#remove(before);
    if (after) this.#remove(after);
    const first = before ? before.start : start;
    const last = after ? after.end : start + length;
    if (last === this.#top) this.#top = first;
    else this.#add(first, last);
  }
}
