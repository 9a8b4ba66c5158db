import type { Instance } from '../kernel/instance.ts';
import { CHUNK_BYTES, CHUNK_KEYS } from '../kernel/scratch.ts';
import { requireOptions } from '../util/checks/options.ts';
import { mustBe } from '../util/checks/validate.ts';
import { hashLongBytes } from './encode.ts';
import { requireBytes } from './key.ts';
import { KeptBytes } from './picked-bytes.ts';
import { type Readable, SOURCE, type Source } from './source.ts';

const NEWLINE = 10;
const RETURN = 13;

/** The lines of a text, each of which is a key; made by `lines(bytes)`. */
export class KeyLines<B extends ArrayBufferLike = ArrayBufferLike> implements Readable {
  /** The text, including all line terminators. Not a copy. */
  readonly bytes: Uint8Array<B>;
  /** Whether `\r\n` ends a line, as `\n` always does. */
  readonly crlf: boolean;
  readonly #known: number | undefined;

  /** @param known the number of lines, if it is known */
  constructor(bytes: Uint8Array<B>, crlf: boolean, known?: number) {
    this.bytes = bytes;
    this.crlf = crlf;
    this.#known = known;
  }

  /**
   * Counts the lines. Reads the whole text, at about a third of a nanosecond per byte; the number of lines that a
   * filter has picked is already known.
   */
  count(): number {
    const { bytes } = this;
    if (this.#known !== undefined) return this.#known;
    const count = countNewlines(bytes);
    return bytes.length > 0 && bytes[bytes.length - 1] !== NEWLINE ? count + 1 : count;
  }

  /** @internal */
  [SOURCE](): Source {
    return new LineSource(this);
  }
}

/**
 * Counts newlines, four bytes at a time. Each byte of `sums` counts at most 255 newlines before the four are added up.
 */
function countNewlines(bytes: Uint8Array): number {
  const head = Math.min(bytes.length, -bytes.byteOffset & 3);
  const whole = Math.floor((bytes.length - head) / 4);
  const words = whole > 0 ? new Uint32Array(bytes.buffer, bytes.byteOffset + head, whole) : new Uint32Array(0);
  const tail = head + 4 * words.length;
  let count = 0;
  for (let i = 0; i < head; i++) if (bytes[i] === NEWLINE) count++;
  for (let i = tail; i < bytes.length; i++) if (bytes[i] === NEWLINE) count++;
  for (let i = 0; i < words.length; ) {
    let sums = 0;
    for (const stop = Math.min(i + 255, words.length); i < stop; i++) {
      const others = (words[i] ?? 0) ^ 0x0a0a0a0a;
      // The high bit of each byte that is 0, and so was a newline. No byte carries into the next.
      sums += (~(((others & 0x7f7f7f7f) + 0x7f7f7f7f) | others) >>> 7) & 0x01010101;
    }
    count += (sums & 0xff) + ((sums >>> 8) & 0xff) + ((sums >>> 16) & 0xff) + (sums >>> 24);
  }
  return count;
}

/** Checks the bytes, and makes lines of them. */
export function linesOf<B extends ArrayBufferLike>(bytes: Uint8Array<B>, crlf: unknown = true): KeyLines<B> {
  if (typeof crlf !== 'boolean') throw new TypeError(mustBe('options.crlf', 'a boolean', crlf));
  return new KeyLines(requireBytes('bytes', bytes), crlf);
}

/**
 * The lines of a text as keys, without making strings of them: by far the fastest way to read keys from files.
 *
 * `\n` ends a line, and so does `\r\n` unless `crlf` is false. An empty line is the empty key; a newline at the very
 * end adds no line. The bytes are used as they are, valid UTF-8 or not. The line `42` is the same key as the string
 * `"42"` (two bytes), not as the integer 42.
 *
 * A byte order mark (EF BB BF) at the beginning is part of the first line's key. To leave it out, pass
 * `bytes.subarray(3)`.
 *
 * @param bytes the text, which must not change while it is read; not copied
 * @param options `crlf`, default true: whether a carriage return before a newline is left out of the key
 * @throws TypeError unless `bytes` is a Uint8Array and `crlf` a boolean, and if another option is given
 */
export function lines<B extends ArrayBufferLike>(bytes: Uint8Array<B>, options?: { crlf?: boolean }): KeyLines<B> {
  // Skips `requireOptions`, which takes much of the time for a short text.
  if (options === undefined) return linesOf(bytes, true);
  const { crlf } = requireOptions(options, '{ crlf: false }', ['crlf']);
  return linesOf(bytes, crlf);
}

/** Reads the lines of a text. The kernel finds and hashes lines in a copy of the bytes, and compacts the kept ones. */
class LineSource implements Source {
  readonly #lines: KeyLines;
  readonly #kept: KeptBytes;
  /** The last chunk is `size` lines in `bytes` from `from` to `to`. */
  from = 0;
  to = 0;
  size = 0;

  constructor({ bytes, crlf }: KeyLines) {
    this.#lines = linesOf(bytes, crlf);
    this.#kept = new KeptBytes(this.#lines.bytes);
  }

  count(): number {
    return this.#lines.count();
  }

  collect(): boolean {
    return this.to < this.#lines.bytes.length;
  }

  hash(instance: Instance, seed: number): number {
    const { kernel, scratch } = instance;
    const { bytes, crlf } = this.#lines;
    this.from = this.to;
    const chunk = bytes.subarray(this.from, this.from + CHUNK_BYTES);
    scratch.keyBytes.set(chunk);
    const last = this.from + chunk.length === bytes.length ? 1 : 0;
    this.size = kernel.hash_lines(
      scratch.keys,
      chunk.length,
      last,
      crlf ? 1 : 0,
      CHUNK_KEYS,
      seed,
      scratch.hashes,
      scratch.ends,
    );
    if (this.size === 0) this.#hashLong(instance, seed);
    else this.to = this.from + (scratch.endValues[this.size - 1] ?? 0);
    return this.size;
  }

  /** Hashes a line that does not fit the scratch. */
  #hashLong(instance: Instance, seed: number): void {
    const { bytes, crlf } = this.#lines;
    const newline = bytes.indexOf(NEWLINE, this.from);
    const end = newline < 0 ? bytes.length : newline - (crlf && bytes[newline - 1] === RETURN ? 1 : 0);
    hashLongBytes(bytes.subarray(this.from, end), instance, seed);
    this.to = newline < 0 ? bytes.length : newline + 1;
    this.size = 1;
  }

  keep(instance: Instance, wanted: number): void {
    this.#kept.keep(instance, this.from, this.to, this.size, wanted);
  }

  kept(): KeyLines<ArrayBuffer> {
    return new KeyLines(this.#kept.take(), this.#lines.crlf, this.#kept.count);
  }
}
