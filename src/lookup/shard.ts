// What lookups in files have in common: a file is checked, a key is hashed, and its three cells are combined.

import { PART_BYTES } from '../format/checksum.ts';
import {
  CHECKSUM_AT,
  type FileKind,
  HEADER_BYTES,
  type ReadHead,
  readHead,
  requireLength,
  requireSaved,
} from '../format/header.ts';
import { utf8Of } from '../kernel/utf8.ts';
import { isBytes, requireBytes } from '../keys/key.ts';
import type { FuseParameters } from '../kinds/fuse/file.ts';
import { cellsIn } from '../kinds/fuse/sizing.ts';
import { isBuffer } from '../util/checks/typed-arrays.ts';
import { mustBe } from '../util/checks/validate.ts';
import { add, multiply, upperHalf } from '../util/words.ts';
import { avalanche, murmur3, WORDS } from './murmur3.ts';

/** The hash of the last key, and what it was made in. */
const words = new Int32Array(WORDS);

/**
 * Hashes a key, and returns the upper half of h1.
 *
 * @throws TypeError unless it is a string, which is hashed as its UTF-8, or bytes
 */
export function hashKey(key: unknown, seed: number): number {
  if (typeof key !== 'string' && !isBytes(key)) throw new TypeError(mustBe('key', 'a string or a Uint8Array', key));
  murmur3(words, typeof key === 'string' ? utf8Of(key) : requireBytes('key', key), seed);
  return words[1] as number;
}

/** Throws unless the bytes are those that were saved. */
function requireChecksum(file: Uint8Array, { bodyOffset, lengths }: ReadHead): void {
  const hashed = Array.from(file.subarray(0, bodyOffset)).fill(0, CHECKSUM_AT, HEADER_BYTES);
  let end = bodyOffset;
  for (const length of lengths) {
    let start = end;
    for (end += length; start < end; start += PART_BYTES) {
      murmur3(words, file.subarray(start, Math.min(start + PART_BYTES, end)), 0);
      hashed.push(...new Uint8Array(words.buffer, 0, 16));
    }
  }
  murmur3(words, Uint8Array.from(hashed), 0);
  const saved = new DataView(file.buffer, file.byteOffset + CHECKSUM_AT);
  const holds = saved.getInt32(0, true) === words[0] && saved.getInt32(4, true) === words[1];
  requireSaved(holds, 'its checksum is wrong');
}

/**
 * Reads the head of a file, and checks all of it but the bits after the cells.
 *
 * @throws SavedFilterError unless the bytes are one whole, undamaged filter of this kind, without a secret
 * @throws TypeError if `bytes` is something else
 */
export function openFile(bytes: Uint8Array | ArrayBuffer, kind: FileKind): { file: Uint8Array; head: ReadHead } {
  const file = requireBytes('bytes', isBuffer(bytes) ? new Uint8Array(bytes) : bytes);
  const head = readHead(file, { kind, engine: {} });
  requireLength(file.length, head);
  requireChecksum(file, head);
  return { file, head };
}

/** The cells of a fuse filter, or of one of its shards. */
export class Shard {
  readonly #cells: Uint8Array;
  readonly #bits: number;
  readonly #parameters: FuseParameters;
  /** What the attempt at building that succeeded adds to each hash. */
  readonly #offset = new Int32Array([0x7f4a7c15, 0x9e3779b9]);

  /** @throws SavedFilterError if bits after the last cell are set */
  constructor(cells: Uint8Array, bits: number, parameters: FuseParameters, padding: string) {
    this.#cells = cells;
    this.#bits = bits;
    this.#parameters = parameters;
    multiply(this.#offset, 0, { low: parameters.attempt + 1, high: 0 });
    const used = cellsIn(parameters) * bits;
    const [last = 0, ...others] = cells.subarray(used / 8);
    requireSaved(last >> (used % 8) === 0 && !others.some(Boolean), `${padding} are not zero`);
  }

  /** The number of distinct keys. */
  get count(): number {
    return this.#parameters.count;
  }

  /**
   * The XOR of the fingerprint of the key that was hashed, above `valueBits` bits, and of its cells: 0, or in a map its
   * value, if the key may be present.
   */
  combine(valueBits: number): number {
    add(words, 0, this.#offset[0] as number, this.#offset[1] as number);
    avalanche(words, 0);
    const low = words[0] as number;
    const high = words[1] as number;
    const { exponent, segments } = this.#parameters;
    const length = 1 << exponent;
    const most = segments * length;
    // The upper half of high · most + low · most / 2^32.
    const middle = (Math.imul(high, most) >>> 0) + (upperHalf(low, most) >>> 0);
    const first = (upperHalf(high, most) >>> 0) + (middle >= 2 ** 32 ? 1 : 0);
    const second = (first + length) ^ (((low >>> 18) | (high << 14)) & (length - 1));
    const third = (first + 2 * length) ^ (low & (length - 1));
    // A shift by 32 would shift by 0.
    const fingerprint = valueBits < 32 ? (low ^ high) << valueBits : 0;
    const all = fingerprint ^ this.#cell(first) ^ this.#cell(second >>> 0) ^ this.#cell(third >>> 0);
    return (all << (32 - this.#bits)) >>> (32 - this.#bits);
  }

  /** A cell in the low bits; the bits above it must be ignored. */
  #cell(index: number): number {
    const cells = this.#cells;
    const bit = index * this.#bits;
    const at = Math.floor(bit / 8);
    const shift = bit % 8;
    let word = 0;
    for (let i = 3; i >= 0; i--) word = (word << 8) | (cells[at + i] ?? 0);
    // Two shifts to the left, for the same reason.
    return (word >>> shift) | (((cells[at + 4] ?? 0) << 1) << (31 - shift));
  }
}
