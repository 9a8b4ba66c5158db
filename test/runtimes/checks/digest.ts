const PRIME = 0x01000193;

/** A digest of 64 bits in hexadecimal: FNV-1a twice, over the bytes and over the bytes plus their position. */
export function digestOf(bytes: Uint8Array): string {
  let a = 0x811c9dc5;
  let b = a;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    a = Math.imul(a ^ byte, PRIME);
    b = Math.imul(b ^ (byte + i), PRIME);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
