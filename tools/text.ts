// Encodes bytes as text that needs no escapes in a string literal and compresses well.

const DIGITS = Array.from({ length: 86 }, (_, digit) => String.fromCharCode(digit + (digit < 52 ? 40 : 41)));
const PREFIXES = ['', '!', '#'];
/** The first of the 86 consecutive byte values, modulo 256, that the code of the kernel uses most. */
const FIRST = 249;

/** Encodes bytes as text that `decode` in src/kernel/embedded.ts reads. */
export function encode(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    const value = (byte - FIRST + 256) % 256;
    return `${PREFIXES[Math.floor(value / 86)]}${DIGITS[value % 86]}`;
  }).join('');
}
