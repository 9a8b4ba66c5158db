import { requireBytes } from '../keys/key.ts';
import type { Source } from '../keys/source.ts';
import { lengthOf } from '../util/checks/typed-arrays.ts';
import { EMPTY, type Numbers, trimmed, withRoom } from '../util/with-room.ts';

/** The first numbers of `out`: itself if it has no more, since a view takes longer to make than few keys to look up. */
export function partOf<A extends Numbers>(out: A, length: number): A {
  return lengthOf(out) === length ? out : (out.subarray(0, length) as A);
}

/** Collects a number for each of many keys, in order: in `out` if given, else in an array that grows. */
export class Results<A extends Numbers> {
  readonly #out: A | undefined;
  #all: Numbers;
  #length: number;

  /**
   * @param all a plain array over the memory of `out`; without `out`, an array that begins with what is done
   * @throws TypeError if `out` is given, and the number of keys is unknown
   */
  constructor({ count, done = 0 }: Source, out: A | undefined, all: Numbers) {
    this.#out = out;
    this.#all = all;
    this.#length = done;
    if (out && !count) throw new TypeError('out needs a known number of keys, got an iterable');
  }

  /** Throws unless there is room for `length` numbers. */
  require(length: number): void {
    if (this.#all.length >= length) return;
    throw new RangeError(`out must have a length of ${length} or more, got ${this.#all.length}`);
  }

  push(more: ArrayLike<number>): void {
    const start = this.#length;
    this.#length += more.length;
    // The first numbers are mostly all that there are, so the array has room for no more.
    if (!this.#out) this.#all = withRoom(this.#all, this.#length);
    this.require(this.#length);
    this.#all.set(more, start);
  }

  take(): A {
    return this.#out ? partOf(this.#out, this.#length) : (trimmed(this.#all, this.#length) as A);
  }
}

/** Collects flags, after those of the keys that the source passes over. */
export function flagsFor<B extends ArrayBufferLike>(
  source: Source,
  out?: Uint8Array<B>,
  done: Uint8Array<ArrayBufferLike> = EMPTY,
): Results<Uint8Array<B>> {
  return new Results(source, out, out === undefined ? done : requireBytes('out', out));
}
