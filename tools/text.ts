// Writes bytes as text that survives in a string literal without escapes, and compresses well.

const DIGITS = Array.from({ length: 86 }, (_, digit) => String.fromCharCode(digit + (digit < 52 ? 40 : 41)));
const PREFIXES = ['', '!', '#'];
/** The code of the kernel uses the 86 byte values from here on, modulo 256, more than any others. */
const FIRST = 249;

/** The text that `decode` in src/kernel/embedded.ts reads. */
export function encode(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    const value = (byte - FIRST + 256) % 256;
    return `${PREFIXES[Math.floor(value / 86)]}${DIGITS[value % 86]}`;
  }).join('');
}
