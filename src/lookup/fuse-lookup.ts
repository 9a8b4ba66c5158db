import { PART_BYTES } from '../format/checksum.ts';
import { CHECKSUM_AT, HEADER_BYTES, readHead, requireLength, requireSaved } from '../format/header.ts';
import { utf8Of } from '../kernel/utf8.ts';
import { isBytes, requireBytes } from '../keys/key.ts';
import { FUSE_FILE, type FuseParameters } from '../kinds/fuse/file.ts';
import { isBuffer } from '../util/checks/typed-arrays.ts';
import { mustBe } from '../util/checks/validate.ts';
import { add, multiply, upperHalf } from '../util/words.ts';
import { avalanche, murmur3, WORDS } from './murmur3.ts';

/** The hash of the last key, and what it was made in. */
const words = new Int32Array(WORDS);

/** What the attempt at building that succeeded adds to each hash. */
function offsetOf(attempt: number): [low: number, high: number] {
  const step = new Int32Array([0x7f4a7c15, 0x9e3779b9]);
  multiply(step, 0, { low: attempt + 1, high: 0 });
  return [step[0] as number, step[1] as number];
}

/** Throws unless the bytes are those that were saved. */
function requireChecksum(file: Uint8Array, bodyOffset: number): void {
  const parts = Math.ceil((file.length - bodyOffset) / PART_BYTES);
  const hashed = new Uint8Array(bodyOffset + 16 * parts);
  hashed.set(file.subarray(0, bodyOffset));
  hashed.fill(0, CHECKSUM_AT, HEADER_BYTES);
  const view = new DataView(hashed.buffer);
  for (let i = 0; i < parts; i++) {
    const start = bodyOffset + i * PART_BYTES;
    murmur3(words, file.subarray(start, start + PART_BYTES), 0);
    for (let at = 0; at < 4; at++) view.setInt32(bodyOffset + 16 * i + 4 * at, words[at] as number, true);
  }
  murmur3(words, hashed, 0);
  const [low, high] = words;
  const saved = new DataView(file.buffer, file.byteOffset);
  const holds = saved.getInt32(CHECKSUM_AT, true) === low && saved.getInt32(CHECKSUM_AT + 4, true) === high;
  requireSaved(holds, 'its checksum is wrong');
}

/**
 * Looks up single keys in the file of a `BinaryFuseFilter`, in a few kilobytes of plain JavaScript: for pages that ship a
 * list and ask little of it. It has the answers of the filter. For batches, lines and many lookups the filter is faster.
 *
 * ```ts
 * const blocked = FuseLookup.fromBytes(BinaryFuseFilter.from(['spam.example']).toBytes());
 * blocked.has('spam.example'); // true
 * ```
 */
export class FuseLookup {
  readonly #body: Uint8Array;
  readonly #seed: number;
  readonly #cellBits: number;
  readonly #parameters: FuseParameters;
  readonly #offset: readonly [low: number, high: number];

  private constructor(body: Uint8Array, seed: number, cellBits: number, parameters: FuseParameters) {
    this.#body = body;
    this.#seed = seed;
    this.#cellBits = cellBits;
    this.#parameters = parameters;
    this.#offset = offsetOf(parameters.attempt);
  }

  /**
   * Opens the file of a `BinaryFuseFilter`. It is checked as the filter's own `fromBytes` checks it, and not copied: the
   * bytes must not change afterwards.
   *
   * @throws SavedFilterError unless the bytes are one whole, undamaged filter of this kind, without a secret
   * @throws TypeError if `bytes` is something else
   */
  static fromBytes(bytes: Uint8Array | ArrayBuffer): FuseLookup {
    const file = requireBytes('bytes', isBuffer(bytes) ? new Uint8Array(bytes) : bytes);
    const head = readHead(file, { kind: FUSE_FILE, engine: {} });
    requireLength(file.length, head);
    const { parameters, cellBits, own, bodyOffset } = head;
    requireChecksum(file, bodyOffset);
    const used = (parameters.cellCount * cellBits) % 8;
    requireSaved(used === 0 || (file.at(-1) as number) >> used === 0, 'its padding bits are not zero');
    return new FuseLookup(file.subarray(bodyOffset), parameters.seed, cellBits, own as FuseParameters);
  }

  /** The number of distinct keys in the filter. */
  get capacity(): number {
    return this.#parameters.count;
  }

  /**
   * Whether a key may be present: always true for a key of the list, and for others at the filter's error rate. Takes
   * one or two microseconds for a short key.
   *
   * @param key a string, which is looked up as its UTF-8, or bytes
   * @throws TypeError if `key` is something else
   */
  has(key: string | Uint8Array): boolean {
    if (typeof key !== 'string' && !isBytes(key)) throw new TypeError(mustBe('key', 'a string or a Uint8Array', key));
    murmur3(words, typeof key === 'string' ? utf8Of(key) : requireBytes('key', key), this.#seed);
    add(words, 0, ...this.#offset);
    avalanche(words, 0);
    const low = words[0] as number;
    const high = words[1] as number;
    const { exponent, segments, count } = this.#parameters;
    const length = 1 << exponent;
    const most = segments * length;
    // The upper half of high · most + low · most / 2^32.
    const middle = (Math.imul(high, most) >>> 0) + (upperHalf(low, most) >>> 0);
    const first = (upperHalf(high, most) >>> 0) + (middle >= 2 ** 32 ? 1 : 0);
    const second = (first + length) ^ (((low >>> 18) | (high << 14)) & (length - 1));
    const third = (first + 2 * length) ^ (low & (length - 1));
    const difference = low ^ high ^ this.#cell(first) ^ this.#cell(second >>> 0) ^ this.#cell(third >>> 0);
    return count > 0 && difference << (32 - this.#cellBits) === 0;
  }

  /** A cell in the low bits; the bits above it must be ignored. */
  #cell(index: number): number {
    const body = this.#body;
    const bit = index * this.#cellBits;
    const at = Math.floor(bit / 8);
    const shift = bit % 8;
    let word = 0;
    for (let i = 3; i >= 0; i--) word = (word << 8) | (body[at + i] ?? 0);
    // Two shifts to the left, because a single one by 32 would shift by 0.
    return (word >>> shift) | (((body[at + 4] ?? 0) << 1) << (31 - shift));
  }
}
