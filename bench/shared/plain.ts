// A Bloom filter in plain JavaScript, as fast as we could make one: the baseline of the benchmarks.
//
// Nothing is encoded or allocated for a key: the hash reads a string's UTF-16 code units in place. It is MurmurHash3
// x86_32 in two lanes with different constants, so that one pass over the key gives two 32-bit hashes. Enhanced double
// hashing turns them into k indices.

const { imul } = Math;

/** Any two different 32-bit seeds. */
const SEED_A = 0x9747b28c;
const SEED_B = 0x3c6ef372;

/** MurmurHash3's last step: lets every bit of the state affect every bit of the hash. */
function finalize(state: number): number {
  let hash = state;
  hash = imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function scramble(word: number): number {
  const product = imul(word, 0xcc9e2d51);
  return (product << 15) | (product >>> 17);
}

function mixA(state: number, scrambled: number): number {
  const mixed = state ^ imul(scrambled, 0x1b873593);
  return (imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

function mixB(state: number, scrambled: number): number {
  const mixed = state ^ imul(scrambled, 0x38b34ae5);
  return (imul((mixed << 17) | (mixed >>> 15), 9) + 0x561ccd1b) | 0;
}

export type PlainKey = string | Uint8Array | number;

/**
 * The two hashes of the last key: its first index, and the step from there to the second. Returning a pair would
 * allocate.
 */
const pair = new Int32Array(2);

function hash(key: PlainKey): void {
  if (typeof key === 'string') hashString(key);
  else if (typeof key === 'number') hashNumber(key);
  else hashBytes(key);
}

/** Two code units make up a word. */
function hashString(key: string): void {
  const { length } = key;
  const even = length & ~1;
  let a = SEED_A;
  let b = SEED_B;
  for (let i = 0; i < even; i += 2) {
    let word = imul(key.charCodeAt(i) | (key.charCodeAt(i + 1) << 16), 0xcc9e2d51);
    word = (word << 15) | (word >>> 17);
    a ^= imul(word, 0x1b873593);
    a = (imul((a << 13) | (a >>> 19), 5) + 0xe6546b64) | 0;
    b ^= imul(word, 0x38b34ae5);
    b = (imul((b << 17) | (b >>> 15), 9) + 0x561ccd1b) | 0;
  }
  if (even < length) {
    const word = scramble(key.charCodeAt(even));
    a ^= imul(word, 0x1b873593);
    b ^= imul(word, 0x38b34ae5);
  }
  pair[0] = finalize(a ^ length);
  pair[1] = finalize(b ^ length);
}

/** Four bytes make up a word. */
function hashBytes(key: Uint8Array): void {
  const { length } = key;
  const whole = length & ~3;
  let a = SEED_A;
  let b = SEED_B;
  let i = 0;
  for (; i < whole; i += 4) {
    const low = (key[i] as number) | ((key[i + 1] as number) << 8);
    const word = scramble(low | ((key[i + 2] as number) << 16) | ((key[i + 3] as number) << 24));
    a = mixA(a, word);
    b = mixB(b, word);
  }
  if (i < length) {
    let tail = 0;
    for (let j = length; j > i; j--) tail = (tail << 8) | (key[j - 1] as number);
    const word = scramble(tail);
    a = mixA(a, word);
    b = mixB(b, word);
  }
  pair[0] = finalize(a ^ length);
  pair[1] = finalize(b ^ length);
}

/** A safe integer is two words. */
function hashNumber(key: number): void {
  const low = scramble(key | 0);
  const high = scramble(Math.floor(key / 2 ** 32));
  pair[0] = finalize(mixA(mixA(SEED_A, low), high) ^ 8);
  pair[1] = finalize(mixB(mixB(SEED_B, low), high) ^ 8);
}

export class PlainBloomFilter {
  readonly hashes: number;
  readonly #bits: Uint32Array;
  /** Scales a 32-bit hash to an index: floor(hash · m / 2^32), without a division. */
  readonly #scale: number;

  /**
   * @param bits the number of bits m, 1 … 2^32
   * @param hashes the number of bits that each key sets, k
   */
  constructor(bits: number, hashes: number) {
    this.hashes = hashes;
    this.#bits = new Uint32Array(Math.ceil(bits / 32));
    this.#scale = bits / 2 ** 32;
  }

  get byteLength(): number {
    return this.#bits.byteLength;
  }

  add(key: PlainKey): void {
    hash(key);
    const bits = this.#bits;
    const scale = this.#scale;
    const count = this.hashes;
    let index = pair[0] as number;
    let step = pair[1] as number;
    for (let i = 0; i < count; i++) {
      const at = ((index >>> 0) * scale) >>> 0;
      bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << at);
      index = (index + step) | 0;
      step = (step + i) | 0;
    }
  }

  has(key: PlainKey): boolean {
    hash(key);
    const bits = this.#bits;
    const scale = this.#scale;
    const count = this.hashes;
    let index = pair[0] as number;
    let step = pair[1] as number;
    for (let i = 0; i < count; i++) {
      const at = ((index >>> 0) * scale) >>> 0;
      if (((bits[at >>> 5] as number) & (1 << at)) === 0) return false;
      index = (index + step) | 0;
      step = (step + i) | 0;
    }
    return true;
  }
}
