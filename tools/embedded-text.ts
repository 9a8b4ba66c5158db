// Encodes bytes as text that compresses well in a string literal. It has no double quotes.

const DIGITS = Array.from({ length: 92 }, (_, digit) => String.fromCharCode(digit + 35));
const PREFIXES = ['', '!', ' '];
/** The first of the 92 consecutive byte values, modulo 256, that the code of the kernel uses most. */
const FIRST = 247;

/** Encodes bytes as text that `decode` in src/kernel/embedded-module.ts reads. */
export function encode(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    const value = (byte - FIRST + 256) % 256;
    return `${PREFIXES[Math.floor(value / 92)]}${DIGITS[value % 92]}`;
  }).join('');
}
