// What `dedupe --repeated` and `--count` select: lines that come more than once, where they come the second time.

import { FilterMemoryError } from 'bloomery';
import { FingerprintSet } from 'bloomery/fingerprint-set';
import { HashedKeys, hashKeys } from 'bloomery/hash';
import { Numbering } from '../../src/kinds/fingerprint-set/numbering.ts';
import type { Chunks } from '../text/bytes.ts';
import type { Section } from '../text/cut.ts';
import { endOfRecord, type TextFormat } from '../text/format.ts';
import type { TextKeys } from '../text/records.ts';
import { collect, join, missingEnd, unmarked } from '../text/sections.ts';
import { memoryError } from './exact.ts';
import type { GrowingFilter } from './kinds.ts';
import { type FullError, type Selecting, wordsOf } from './seen.ts';

const HASH_WORDS = 4;
/** How wide `uniq -c` writes a count, with the blank after it. */
const COUNT_WIDTH = 7;
const OUTPUT_BYTES = 64 * 1024;

/** The places of the hashes that `seen` has got before, or that seem so. It gets the others now. */
function repeatedIn(hashes: HashedKeys, seen: Selecting): Uint32Array {
  const fresh = seen.flag(hashes);
  const places = new Uint32Array(fresh.length);
  let count = 0;
  for (let i = 0; i < fresh.length; i++) {
    places[count] = i;
    count += 1 - (fresh[i] as number);
  }
  return places.subarray(0, count);
}

function hashesAt(places: Uint32Array, hashes: HashedKeys): HashedKeys {
  const all = wordsOf(hashes);
  const words = new Uint32Array(HASH_WORDS * places.length);
  places.forEach((place, i) => {
    words.set(all.subarray(HASH_WORDS * place, HASH_WORDS * (place + 1)), HASH_WORDS * i);
  });
  return new HashedKeys(new Uint8Array(words.buffer), hashes.seed);
}

/** Selects each key that comes more than once, where it comes the second time. */
abstract class SelectingRepeated implements Selecting {
  /** Filters and sets grow, so there is always room. */
  readonly full: FullError | undefined = undefined;
  readonly #seen: Selecting;
  count = 0;

  /** @param seen takes all keys; it must never be full */
  constructor(seen: Selecting) {
    this.#seen = seen;
  }

  get isExact(): boolean {
    return this.#seen.isExact;
  }

  get seed(): number {
    return this.#seen.seed;
  }

  get filters(): readonly GrowingFilter[] {
    return this.#seen.filters;
  }

  watch(): void {
    this.#seen.watch();
  }

  expectedMistakes(): number {
    return this.#seen.expectedMistakes();
  }

  select(keys: TextKeys): Uint8Array {
    return this.flag(hashKeys(keys, { seed: this.seed }));
  }

  flag(hashes: HashedKeys): Uint8Array<ArrayBuffer> {
    const flags = new Uint8Array(hashes.length);
    const places = repeatedIn(hashes, this.#seen);
    if (places.length === 0) return flags;
    const second = this.second(hashesAt(places, hashes));
    places.forEach((place, i) => {
      flags[place] = second[i] as number;
      this.count += second[i] as number;
    });
    return flags;
  }

  /** Flags the keys that are repeated for the first time. All that it gets are repeated. */
  protected abstract second(repeated: HashedKeys): Uint8Array;
}

/** Keeps the keys that it has selected in a filter or a set. */
export class Repeated extends SelectingRepeated {
  readonly #selected: Selecting;

  /** @param selected takes the keys that are selected; it must never be full */
  constructor(seen: Selecting, selected: Selecting) {
    super(seen);
    this.#selected = selected;
  }

  override get filters(): readonly GrowingFilter[] {
    return [...super.filters, ...this.#selected.filters];
  }

  override watch(): void {
    super.watch();
    this.#selected.watch();
  }

  override expectedMistakes(): number {
    return super.expectedMistakes() + this.#selected.expectedMistakes();
  }

  protected second(repeated: HashedKeys): Uint8Array {
    return this.#selected.flag(repeated);
  }
}

/**
 * Numbers the keys that it has selected, and counts how often each comes. Where a set finds the repeated keys, the numbers
 * add no mistakes: they tell keys apart as it does. What they add to those of filters is too little to be said.
 */
export class Counted extends SelectingRepeated {
  readonly #numbering: Numbering = new Numbering(FingerprintSet.engine);
  /** How often each has come after the first time: floats, because counts may pass 2^32. */
  #again: Float64Array<ArrayBuffer> = new Float64Array(1024);

  /** How often the nth of the repeated keys has come, counted from 0. */
  countOf(n: number): number {
    return (this.#again[n] as number) + 1;
  }

  protected second(repeated: HashedKeys): Uint8Array {
    const numbers = this.#number(repeated);
    const again = this.#again;
    const flags = new Uint8Array(numbers.length);
    for (let i = 0; i < flags.length; i++) {
      flags[i] = (again[numbers[i] as number] as number)++ === 0 ? 1 : 0;
    }
    return flags;
  }

  /** The numbers of keys, all of which now have counts. */
  #number({ bytes }: HashedKeys): Uint32Array {
    try {
      const numbers = this.#numbering.numbersOf(bytes);
      let { length } = this.#again;
      while (length < this.#numbering.count) length *= 2;
      if (length > this.#again.length) {
        const again = new Float64Array(length);
        again.set(this.#again);
        this.#again = again;
      }
      return numbers;
    } catch (error) {
      // An array for which there is no memory throws a RangeError.
      if (!(error instanceof FilterMemoryError || error instanceof RangeError)) throw error;
      throw memoryError(this.#numbering, 'without --count, repeated lines take less', error);
    }
  }
}

/**
 * The selected lines with their counts, as `uniq -c` writes them, once the text has ended. Until then, they are kept. No
 * line begins with a byte order mark, because its count comes first.
 */
export async function* withCounts(selected: AsyncIterable<Section>, format: TextFormat, counted: Counted): Chunks {
  const { buffer, byteOffset, byteLength } = await collect(join(unmarked(selected), format), 0);
  const text = Buffer.from(buffer, byteOffset, byteLength);
  let parts: Uint8Array[] = [];
  let length = 0;
  for (let [n, at] = [0, 0]; at < text.length; n++) {
    const end = endOfRecord(text, at, format);
    parts.push(Buffer.from(`${String(counted.countOf(n)).padStart(COUNT_WIDTH)} `), text.subarray(at, end));
    length += end - at;
    if (length >= OUTPUT_BYTES) {
      yield Buffer.concat(parts);
      [parts, length] = [[], 0];
    }
    at = end;
  }
  if (text.length > 0) parts.push(missingEnd(text, format));
  if (parts.length > 0) yield Buffer.concat(parts);
}
