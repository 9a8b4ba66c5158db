const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** The number of bits set, and their 64-bit FNV-1a in hexadecimal: equal for equal bits, almost never for others. */
export function digest(bytes: Uint8Array): { popcount: number; fnv1a: string } {
  let popcount = 0;
  // In 32-bit halves, because bigints would take a hundred times longer. The prime is 2^40 + 0x1b3.
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    popcount += ONES[byte] as number;
    low = (low ^ byte) >>> 0;
    const product = low * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / 2 ** 32) + ((low << 8) >>> 0)) >>> 0;
    low = product >>> 0;
  }
  const hexadecimal = (half: number): string => half.toString(16).padStart(8, '0');
  return { popcount, fnv1a: hexadecimal(high) + hexadecimal(low) };
}
