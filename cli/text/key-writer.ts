import { column, type KeyColumn } from 'bloomery';
import { CommandError } from '../command-error.ts';
import { byteSize } from '../numbers.ts';
import { areSame, bytesOf, encoder, textOf } from './bytes.ts';
import type { TextFormat } from './format.ts';

/** The offsets of keys have 32 bits. */
const MOST_BYTES = 2 ** 32 - 1;

function requireRoom(bytes: number): void {
  if (bytes <= MOST_BYTES) return;
  throw new CommandError(
    `${byteSize(bytes)} of keys that are not lines are too many at once: ` +
      `at most ${byteSize(MOST_BYTES)}; only --kind sharded-fuse and fuse-map take more`,
  );
}

const [UPPER_A, UPPER_Z, TO_LOWER] = [65, 90, 32];
/** The text that is a key, instead of one that is written otherwise. */
export function normalKey(text: string, { trim, ignoreCase }: Pick<TextFormat, 'trim' | 'ignoreCase'>): string {
  const trimmed = trim ? text.trim() : text;
  return ignoreCase ? trimmed.toLowerCase() : trimmed;
}

/** Writes keys one after the other into one memory, which grows if need be. */
export class KeyWriter {
  #data: Uint8Array<ArrayBuffer>;
  #length = 0;
  /** Where keys end. A list of numbers would take twice as much memory, and cannot have 2^27 of them. */
  #ends: Uint32Array<ArrayBuffer> = new Uint32Array(1024);
  readonly #ignoreCase: boolean;
  /** Where the key begins that is being written. */
  #start = 0;
  /** The number of keys that are whole. */
  count = 0;

  /**
   * @param size how many bytes the keys will have, or about so many
   * @param ignoreCase whether to write keys in lower case
   * @throws CommandError if that is too much, as from the methods that write
   */
  constructor(size: number, ignoreCase = false) {
    requireRoom(size);
    this.#ignoreCase = ignoreCase;
    this.#data = new Uint8Array(size);
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#data.length) return;
    requireRoom(wanted);
    const longer = new Uint8Array(Math.min(MOST_BYTES, Math.max(wanted, 2 * this.#data.length)));
    longer.set(this.#data);
    this.#data = longer;
  }

  put(byte: number): void {
    this.#makeRoom(1);
    this.#data[this.#length++] = byte;
  }

  /** Adds the bytes of a text from one place to another. */
  copy(text: Uint8Array, from: number, to: number): void {
    this.#makeRoom(to - from);
    const data = this.#data;
    let length = this.#length;
    // A view of so few bytes would take longer to make than they take to copy.
    for (let at = from; at < to; at++) data[length++] = text[at] as number;
    this.#length = length;
  }

  /** Puts the bytes of the key in lower case. In a key that is not UTF-8, this changes only the letters A to Z. */
  #toLowerCase(): void {
    const data = this.#data;
    let all = 0;
    for (let at = this.#start; at < this.#length; at++) {
      const byte = data[at] as number;
      all |= byte;
      if (byte >= UPPER_A && byte <= UPPER_Z) data[at] = byte + TO_LOWER;
    }
    if (all < 0x80) return;
    const key = data.subarray(this.#start, this.#length);
    const text = textOf(key);
    // What takes the place of bytes that are not UTF-8; it may also be in the key.
    if (text.includes('\ufffd') && !areSame(bytesOf(text), key)) return;
    const lower = text.toLowerCase();
    this.#length = this.#start;
    // At most three bytes for each.
    this.#makeRoom(3 * lower.length);
    this.#length += encoder.encodeInto(lower, this.#data.subarray(this.#start)).written;
  }

  /** Ends a key. */
  end(): void {
    if (this.#ignoreCase) this.#toLowerCase();
    this.#start = this.#length;
    this.#ends[this.count++] = this.#length;
    if (this.count < this.#ends.length) return;
    const longer = new Uint32Array(2 * this.#ends.length);
    longer.set(this.#ends);
    this.#ends = longer;
  }

  /** Adds keys that another writer has written. */
  append({ data, offsets }: KeyColumn): void {
    for (let i = 1; i < offsets.length; i++) {
      this.copy(data, Number(offsets[i - 1]), Number(offsets[i]));
      this.end();
    }
  }

  toColumn(): KeyColumn {
    const offsets = new Uint32Array(this.count + 1);
    offsets.set(this.#ends.subarray(0, this.count), 1);
    return column(this.#data.subarray(0, this.#length), offsets);
  }
}
