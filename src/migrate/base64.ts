const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The length of the base64 text, with padding, of so many bytes. */
export function base64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

/** The value of each letter by its code, plus 1; 0 for what is not a letter. */
function lettersOf(): Uint8Array {
  const letters = new Uint8Array(128);
  for (let i = 0; i < ALPHABET.length; i++) letters[ALPHABET.charCodeAt(i)] = i + 1;
  return letters;
}

/**
 * Decodes base64 text, as bits of 32-bit words, lowest byte first. The text has the right length for `bytes` bytes.
 *
 * @returns the position of the first wrong character; −1 if there is none
 */
export function decodeBase64(text: string, bytes: number, words: Int32Array): number {
  const letters = lettersOf();
  const count = Math.ceil((8 * bytes) / 6);
  for (let at = 0, group = 0; at < count; at++) {
    const value = letters[text.charCodeAt(at)] ?? 0;
    if (value === 0) return at;
    group = ((group << 6) | (value - 1)) & 0xffffff;
    // Each letter but the first of four ends a byte.
    if (at % 4 === 0) continue;
    const byte = at - Math.ceil(at / 4);
    const bits = (group >>> (6 - 2 * (at % 4))) & 0xff;
    if (byte < bytes) words[byte >>> 2] = (words[byte >>> 2] as number) | (bits << (8 * (byte & 3)));
  }
  for (let at = count; at < text.length; at++) if (text[at] !== '=') return at;
  return -1;
}
