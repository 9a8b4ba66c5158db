// XXH64 under two seeds at once, as `bloom-filters` hashes a key.

import { add, addConstant, type Constant, fold29, fold33, multiply, rotate, xor } from '../util/words.ts';

const PRIME_1: Constant = { low: 0x85ebca87, high: 0x9e3779b1 };
const PRIME_2: Constant = { low: 0x27d4eb4f, high: 0xc2b2ae3d };
const PRIME_3: Constant = { low: 0x9e3779f9, high: 0x165667b1 };
const PRIME_4: Constant = { low: 0xc2b2ae63, high: 0x85ebca77 };
const PRIME_5: Constant = { low: 0x165667c5, high: 0x27d4eb2f };

// Where the words are. Each seed has a hash and the four sums over stripes of 32 bytes.

const SEEDS = [0, 1] as const;
const INPUT = 0;
const COPY = 2;
const hashAt = (seed: number): number => 4 + 2 * seed;
const sumAt = (seed: number, lane: number): number => 8 + 8 * seed + 2 * lane;
const WORDS = 24;

const STRIPE = 32;
/** Longer keys are hashed in parts of this many bytes. */
const PART = 1024;

/** Hashes keys with XXH64 under two seeds, and keeps the lower halves of the hashes. */
export class TwoHashes {
  readonly #seeds: readonly number[];
  readonly #words = new Int32Array(WORDS);
  readonly #bytes = new Uint8Array(PART);
  readonly #view = new DataView(this.#bytes.buffer);
  /** How many bytes of the key were hashed in stripes. */
  #striped = 0;
  /** The lower half of the last key's hash under the first seed, as a signed integer. */
  first = 0;
  /** As `first`, under the second seed. */
  second = 0;

  /** @param seeds two integers, whose lower 32 bits are used */
  constructor(seeds: readonly [number, number]) {
    this.#seeds = seeds.map((seed) => seed | 0);
  }

  /**
   * Hashes a string as `xxhashjs` does: as UTF-8, but a surrogate takes the next unit as the other half of its pair,
   * whatever that is.
   */
  hashText(text: string): void {
    const bytes = this.#bytes;
    let at = 0;
    for (let i = 0; i < text.length; i++) {
      if (at > PART - 4) at = this.#hashStripes(at);
      const unit = text.charCodeAt(i);
      if (unit < 0x80) {
        bytes[at++] = unit;
      } else if (unit < 0x800) {
        bytes[at++] = 0xc0 | (unit >> 6);
        bytes[at++] = 0x80 | (unit & 0x3f);
      } else if ((unit & 0xf800) !== 0xd800) {
        bytes[at++] = 0xe0 | (unit >> 12);
        bytes[at++] = 0x80 | ((unit >> 6) & 0x3f);
        bytes[at++] = 0x80 | (unit & 0x3f);
      } else {
        // After the end, `charCodeAt` gives NaN, whose bits as an integer are all 0.
        const point = 0x10000 + (((unit & 0x3ff) << 10) | (text.charCodeAt(++i) & 0x3ff));
        bytes[at++] = 0xf0 | (point >> 18);
        bytes[at++] = 0x80 | ((point >> 12) & 0x3f);
        bytes[at++] = 0x80 | ((point >> 6) & 0x3f);
        bytes[at++] = 0x80 | (point & 0x3f);
      }
    }
    this.#end(at);
  }

  hashBytes(key: Uint8Array): void {
    let held = 0;
    for (let from = 0; from < key.length; ) {
      const part = key.subarray(from, from + PART - held);
      this.#bytes.set(part, held);
      from += part.length;
      held = this.#hashStripes(held + part.length);
    }
    this.#end(held);
  }

  /** Hashes all whole stripes of the first bytes, moves the others to the front, and returns their number. */
  #hashStripes(held: number): number {
    const end = held - (held % STRIPE);
    if (end > 0 && this.#striped === 0) this.#beginSums();
    for (let at = 0; at < end; at += STRIPE) this.#hashStripe(at);
    this.#striped += end;
    this.#bytes.copyWithin(0, end, held);
    return held - end;
  }

  #beginSums(): void {
    const words = this.#words;
    for (const seed of SEEDS) {
      for (let lane = 0; lane < 4; lane++) {
        words[sumAt(seed, lane)] = this.#seeds[seed] as number;
        words[sumAt(seed, lane) + 1] = 0;
      }
      addConstant(words, sumAt(seed, 0), PRIME_1);
      addConstant(words, sumAt(seed, 0), PRIME_2);
      addConstant(words, sumAt(seed, 1), PRIME_2);
      // The negative of the first prime.
      add(words, sumAt(seed, 3), -PRIME_1.low, ~PRIME_1.high);
    }
  }

  /** Reads the 8 bytes from `at` on, times the second prime. It is the same for both seeds. */
  #readInput(at: number): void {
    const words = this.#words;
    words[INPUT] = this.#view.getInt32(at, true);
    words[INPUT + 1] = this.#view.getInt32(at + 4, true);
    multiply(words, INPUT, PRIME_2);
  }

  #hashStripe(at: number): void {
    const words = this.#words;
    for (let lane = 0; lane < 4; lane++) {
      this.#readInput(at + 8 * lane);
      for (const seed of SEEDS) {
        const sum = sumAt(seed, lane);
        add(words, sum, words[INPUT] as number, words[INPUT + 1] as number);
        rotate(words, sum, 31);
        multiply(words, sum, PRIME_1);
      }
    }
  }

  /** Joins the four sums of a seed to a hash. */
  #joinSums(seed: number): void {
    const words = this.#words;
    const hash = hashAt(seed);
    words[hash] = 0;
    words[hash + 1] = 0;
    for (let lane = 0; lane < 4; lane++) {
      this.#copySum(seed, lane);
      rotate(words, COPY, [1, 7, 12, 18][lane] as number);
      add(words, hash, words[COPY] as number, words[COPY + 1] as number);
    }
    for (let lane = 0; lane < 4; lane++) {
      this.#copySum(seed, lane);
      multiply(words, COPY, PRIME_2);
      rotate(words, COPY, 31);
      multiply(words, COPY, PRIME_1);
      xor(words, hash, words[COPY] as number, words[COPY + 1] as number);
      multiply(words, hash, PRIME_1);
      addConstant(words, hash, PRIME_4);
    }
  }

  #copySum(seed: number, lane: number): void {
    const words = this.#words;
    words[COPY] = words[sumAt(seed, lane)] as number;
    words[COPY + 1] = words[sumAt(seed, lane) + 1] as number;
  }

  /** Xors the input into both hashes, and mixes them. */
  #mixInput(rotation: number, factor: Constant, summand?: Constant): void {
    const words = this.#words;
    for (const seed of SEEDS) {
      const hash = hashAt(seed);
      xor(words, hash, words[INPUT] as number, words[INPUT + 1] as number);
      rotate(words, hash, rotation);
      multiply(words, hash, factor);
      if (summand) addConstant(words, hash, summand);
    }
  }

  /** Hashes the first bytes, which are the last of the key. */
  #end(count: number): void {
    const words = this.#words;
    const held = this.#hashStripes(count);
    for (const seed of SEEDS) {
      const hash = hashAt(seed);
      if (this.#striped > 0) {
        this.#joinSums(seed);
      } else {
        words[hash] = this.#seeds[seed] as number;
        words[hash + 1] = 0;
        addConstant(words, hash, PRIME_5);
      }
      add(words, hash, this.#striped + held, 0);
    }
    this.#striped = 0;
    this.#hashRest(held);
    this.first = this.#finish(0);
    this.second = this.#finish(1);
  }

  /** Hashes the bytes after the last stripe: 8 at a time, then 4, then one by one. */
  #hashRest(held: number): void {
    const words = this.#words;
    let at = 0;
    for (; at + 8 <= held; at += 8) {
      this.#readInput(at);
      rotate(words, INPUT, 31);
      multiply(words, INPUT, PRIME_1);
      this.#mixInput(27, PRIME_1, PRIME_4);
    }
    if (at + 4 <= held) {
      words[INPUT] = this.#view.getInt32(at, true);
      words[INPUT + 1] = 0;
      multiply(words, INPUT, PRIME_1);
      this.#mixInput(23, PRIME_2, PRIME_3);
      at += 4;
    }
    for (; at < held; at++) {
      words[INPUT] = this.#bytes[at] as number;
      words[INPUT + 1] = 0;
      multiply(words, INPUT, PRIME_5);
      this.#mixInput(11, PRIME_1);
    }
  }

  /** Mixes a hash for the last time, and returns its lower half. */
  #finish(seed: number): number {
    const words = this.#words;
    const hash = hashAt(seed);
    fold33(words, hash);
    multiply(words, hash, PRIME_2);
    fold29(words, hash);
    multiply(words, hash, PRIME_3);
    return (words[hash] as number) ^ (words[hash + 1] as number);
  }
}
