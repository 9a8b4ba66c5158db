// Which parts of a memory are free. Kept outside of it, in JavaScript: filters are made and dropped seldom, and the allocator
// that comes with AssemblyScript is 600 bytes of every page's download.

/** Parts of a memory, from some address up. Neighbors that are free are one part. */
export class FreeList {
  /** Where each free part ends, by where it begins. */
  readonly #ends = new Map<number, number>();
  /** Where each free part begins, by where it ends. */
  readonly #starts = new Map<number, number>();
  /** Where free parts begin, by the number of bits of their length, so that few are looked at which are too short. */
  readonly #bins: readonly Set<number>[] = Array.from({ length: 33 }, () => new Set());
  /** All is free from here on. */
  #top: number;

  constructor(start: number) {
    this.#top = start;
  }

  #bin(length: number): number {
    return 32 - Math.clz32(length);
  }

  #add(start: number, end: number): void {
    this.#ends.set(start, end);
    this.#starts.set(end, start);
    this.#bins[this.#bin(end - start)]?.add(start);
  }

  #remove(start: number, end: number): void {
    this.#ends.delete(start);
    this.#starts.delete(end);
    this.#bins[this.#bin(end - start)]?.delete(start);
  }

  /** Takes a part of this length, below 2^32, and returns where it begins. There always is one, if beyond the memory. */
  take(length: number): number {
    for (const bin of this.#bins.slice(this.#bin(length))) {
      for (const start of bin) {
        const end = this.#ends.get(start) as number;
        if (end - start < length) continue;
        this.#remove(start, end);
        if (start + length < end) this.#add(start + length, end);
        return start;
      }
    }
    const start = this.#top;
    this.#top += length;
    return start;
  }

  /** Gives back a part that `take` returned. */
  release(start: number, length: number): void {
    let [first, last] = [start, start + length];
    const before = this.#starts.get(first);
    if (before !== undefined) {
      this.#remove(before, first);
      first = before;
    }
    const after = this.#ends.get(last);
    if (after !== undefined) {
      this.#remove(last, after);
      last = after;
    }
    if (last === this.#top) this.#top = first;
    else this.#add(first, last);
  }
}
