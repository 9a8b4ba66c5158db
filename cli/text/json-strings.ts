// Strings of JSON as bytes, so that what is not UTF-8 stays as it is.

import { bytesOf, encoder } from './bytes.ts';
import { QUOTE } from './format.ts';
import type { KeyWriter } from './key-writer.ts';

export const BACKSLASH = 92;
export const LOWER_U = 117;
const [ZERO, NINE] = [48, 57];
/** What a letter means after a backslash. Others mean themselves. */
const CONTROLS: ReadonlyMap<number, number> = new Map(
  [...'bfnrt'].map((letter, i) => [letter.charCodeAt(0), [8, 12, 10, 13, 9][i] as number]),
);

export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

/** The unit of UTF-16 that four digits stand for. */
function unitAt(text: Uint8Array, at: number): string {
  let unit = 0;
  for (let i = 0; i < 4; i++) {
    const digit = text[at + i] as number;
    unit = 16 * unit + (digit & 15) + (isDigit(digit) ? 0 : 9);
  }
  return String.fromCharCode(unit);
}

/** What is in the quotes of a string, with what its escapes mean. All other bytes are as they are, UTF-8 or not. */
export function unescaped(text: Uint8Array, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - start);
  let length = 0;
  for (let at = start; at < end; ) {
    if (text[at] !== BACKSLASH) {
      bytes[length++] = text[at++] as number;
      continue;
    }
    const letter = text[at + 1] as number;
    if (letter !== LOWER_U) {
      bytes[length++] = CONTROLS.get(letter) ?? letter;
      at += 2;
      continue;
    }
    // Two that follow each other may be the halves of one character.
    let units = '';
    for (; at < end && text[at] === BACKSLASH && text[at + 1] === LOWER_U; at += 6) units += unitAt(text, at + 2);
    length += encoder.encodeInto(units, bytes.subarray(length)).written;
  }
  return bytes.subarray(0, length);
}

/** Whether a string may be written in several ways. */
export function isEscaped(text: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text[at] === BACKSLASH) return true;
  return false;
}

/** Writes bytes as JSON.stringify writes a text. */
export function writeString(keys: KeyWriter, bytes: Uint8Array, start: number, end: number): void {
  keys.put(QUOTE);
  let from = start;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte >= 32 && byte !== QUOTE && byte !== BACKSLASH) continue;
    const escaped = bytesOf(JSON.stringify(String.fromCharCode(byte)));
    keys.copy(bytes, from, at);
    keys.copy(escaped, 1, escaped.length - 1);
    from = at + 1;
  }
  keys.copy(bytes, from, end);
  keys.put(QUOTE);
}
