// What `dedupe --repeated` and `--count` select: lines that come more than once, where they come the second time.

import { randomInt } from 'node:crypto';
import { HashedKeys, hashKeys } from 'bloomery/hash';
import { endOfRecord, type TextFormat } from '../text/format.ts';
import type { Chunks } from '../text/input.ts';
import type { TextKeys } from '../text/records.ts';
import { collect, join, type Section, unmarked } from '../text/sections.ts';
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

/** Keeps the hashes of the keys that it has selected, and counts how often each comes. */
export class Counted extends SelectingRepeated {
  #length = 0;
  /** The hashes of the repeated keys, in the order of their second occurrence. */
  #words: Uint32Array<ArrayBuffer> = new Uint32Array(HASH_WORDS * 1024);
  #counts: Float64Array<ArrayBuffer> = new Float64Array(1024);
  /** A hash table of open addressing: for each hash, its place among all, counted from 1. */
  #table: Uint32Array<ArrayBuffer> = new Uint32Array(2048);
  /**
   * Random odd factors for the words of a hash. Without them, whoever writes the lines could choose some whose hashes
   * begin alike, which would make searches in the table long.
   */
  readonly #factors: Uint32Array = Uint32Array.from({ length: HASH_WORDS }, () => randomInt(2 ** 32) | 1);

  /** How often the nth of the repeated keys has come, counted from 0. */
  countOf(n: number): number {
    return this.#counts[n] as number;
  }

  protected second(repeated: HashedKeys): Uint8Array {
    const words = wordsOf(repeated);
    const flags = new Uint8Array(repeated.length);
    for (let i = 0; i < flags.length; i++) {
      const slot = this.#slotOf(words, HASH_WORDS * i);
      const place = this.#table[slot] as number;
      if (place > 0) {
        (this.#counts[place - 1] as number)++;
      } else {
        flags[i] = 1;
        this.#insert(words.subarray(HASH_WORDS * i, HASH_WORDS * (i + 1)), slot);
      }
    }
    return flags;
  }

  /** Where a hash is in the table, or else where it would be. */
  #slotOf(words: Uint32Array, at: number): number {
    const [table, known] = [this.#table, this.#words];
    const mask = table.length - 1;
    let mixed = 0;
    for (let i = 0; i < HASH_WORDS; i++) {
      mixed = Math.imul(mixed ^ (words[at + i] as number), this.#factors[i] as number);
      // A product's low bits do not depend on the high bits of what is multiplied.
      mixed ^= mixed >>> 15;
    }
    let slot = mixed & mask;
    for (; table[slot] !== 0; slot = (slot + 1) & mask) {
      const from = HASH_WORDS * ((table[slot] as number) - 1);
      if (
        known[from] === words[at] &&
        known[from + 1] === words[at + 1] &&
        known[from + 2] === words[at + 2] &&
        known[from + 3] === words[at + 3]
      ) {
        break;
      }
    }
    return slot;
  }

  #insert(hash: Uint32Array, slot: number): void {
    this.#words.set(hash, HASH_WORDS * this.#length);
    // The first occurrence, and this one.
    this.#counts[this.#length] = 2;
    this.#table[slot] = ++this.#length;
    if (this.#length === this.#counts.length) this.#grow();
  }

  #grow(): void {
    const [words, counts] = [this.#words, this.#counts];
    this.#words = new Uint32Array(2 * words.length);
    this.#words.set(words);
    this.#counts = new Float64Array(2 * counts.length);
    this.#counts.set(counts);
    this.#table = new Uint32Array(2 * this.#table.length);
    for (let i = 0; i < this.#length; i++) this.#table[this.#slotOf(words, HASH_WORDS * i)] = i + 1;
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
  if (parts.length > 0) yield Buffer.concat(parts);
}
